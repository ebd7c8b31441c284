// Steps of a restore: check all → fill and prove all → switch one after the other.
#include "restore/plan.h"

#include <holdfast/model/time.h>

#include "action/objects.h"
#include "action/report.h"
#include "log/plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Conflict = VolumeGroupAction::Restore::Conflict;

bool is_revert(const ActionSeen& seen) { return seen.action.status.restoring == "revert"; }

bool replaces(const ActionSeen& seen) {
  const auto& wish = seen.action.status.restore;
  return is_revert(seen) || (wish && wish->conflict == Conflict::Replace);
}

/// The label goes first: a wish that is answered must not be heard again.
Outcome fail(const ActionSeen& seen, const std::string& reason, const std::string& message) {
  if (seen.label == seen.action.status.restoring) return Outcome::act(remove_trigger(seen));
  return ActionReport(seen).end(State::Error, reason, message).outcome();
}

/// What keeps it from being done at all: {reason, message}.
std::optional<Refusal> obstacle(const ActionSeen& seen) {
  const Inputs& inputs = *seen.action.status.inputs;
  if (!seen.target_allowed)
    return Refusal{"NamespaceNotAllowed",
                   fmt::format("an action of namespace {} may not restore into namespace {}",
                               seen.ns, seen.members.front().target_ns)};
  std::vector<std::pair<const protect::handover::Seen*, const ClaimRecord*>> targets;
  for (size_t i = 0; i < seen.members.size(); ++i) {
    const MemberSeen& its = seen.members[i];
    const ClaimRecord& claim = inputs.claims[i];
    if (is_revert(seen) && (!its.snapshot || its.snapshot->deleting || !its.snapshot->ready))
      return Refusal{"SnapshotGone", fmt::format("there is no snapshot of claim {} any more; a "
                                                 "backup can be restored",
                                                 claim.name)};
    if (!is_revert(seen) && claim.snapshot_id.empty())
      return Refusal{"NoBackup", fmt::format("there is no backup of claim {}; snapshots can be "
                                             "reverted to",
                                             claim.name)};
    if (!claim.log) targets.emplace_back(&its, &claim);
  }
  return protect::handover::conflict(targets, replaces(seen));
}

Outcome accept(const ActionSeen& seen) {
  ActionReport report(seen);
  RunStatus& restored = *report.status().restored;
  for (size_t i = 0; i < seen.members.size(); ++i) {
    if (seen.action.status.inputs->claims[i].log) continue;
    const MemberSeen& its = seen.members[i];
    ReferenceResource each{.name = its.target_name, .ns = its.target_ns, .items = {}};
    if (its.target && !its.target->volume.empty())
      each.items["oldPersistentVolume"] = {its.target->volume};
    restored.references.resources.push_back(std::move(each));
  }
  return report.step(seen.action.status.restoring, State::Started).outcome();
}

/// Nothing when the member's new volume holds the data, is proven, and stays.
std::optional<Outcome> stage(const ActionSeen& seen, size_t i, const GroupSettings& settings) {
  const MemberSeen& its = seen.members[i];
  const ClaimRecord& claim = seen.action.status.inputs->claims[i];
  const bool log = claim.log.has_value();
  if (its.is_kept() || its.is_done() || (log && logs_are_back(seen))) return std::nullopt;
  if (!its.staged) return Outcome::act(create_staged(seen, i));
  // The pod that puts the log back mounts it, too.
  if (is_revert(seen) && log) return std::nullopt;
  if (!is_revert(seen) && !its.download) return Outcome::act(create_download(seen, i));
  const protect::handover::Filling filling =
      is_revert(seen)
          ? protect::handover::prove(its, owned(seen), claim, settings.image, settings.command)
          : protect::handover::await_download(*its.download, claim.name);
  if (!filling.trouble.reason.empty())
    return fail(seen, filling.trouble.reason, filling.trouble.message);
  if (filling.step) return filling.step;
  if (log) return std::nullopt;
  if (!its.fresh) return Outcome::wait(500ms, "WaitingForVolume");
  return Outcome::act(protect::handover::keep(*its.fresh, owned(seen), its.staged_name));
}

/// Nothing when the claim is there under its name, bound to its new volume.
std::optional<Outcome> switch_over(const ActionSeen& seen, size_t i) {
  const MemberSeen& its = seen.members[i];
  if (const std::optional<Refusal> wrong = protect::handover::occupied(its, replaces(seen))) {
    const bool begun = std::any_of(seen.members.begin(), seen.members.end(),
                                   [](const MemberSeen& each) { return each.is_begun(); });
    if (begun) return Outcome::wait(5s, wrong->reason, wrong->message);
    return fail(seen, wrong->reason, wrong->message);
  }
  return protect::handover::put_in_place(its, owned(seen), seen.action.status.inputs->claims[i],
                                         classes_of(seen));
}

}  // namespace

Outcome begin_restore(const ActionSeen& seen) {
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  status.restoring = seen.label;
  status.restores = status.restores.value_or(0) + 1;
  status.restore = seen.action.spec.restore;
  status.stopped.clear();
  status.restored = RunStatus{};
  status.restored->started = model::to_rfc3339(seen.now);
  status.restored->running = {{.name = seen.label}};
  if (status.inputs && status.inputs->volumes() < status.inputs->claims.size())
    status.restored->running.push_back({.name = "log"});
  report.drop_condition("Restored");
  return report.state(State::Restoring).outcome();
}

std::optional<Outcome> plan_restore(const ActionSeen& seen, const GroupSettings& settings) {
  const RunStatus& restored = *seen.action.status.restored;
  if (!seen.action.status.inputs || seen.members.empty())
    return fail(seen, "NothingToRestore", "the action holds neither snapshots nor a backup");
  if (!seen.has_finalizer) return Outcome::act(hold(seen));
  if (restored.running.front().state == State::Pending) {
    if (const std::optional<Refusal> wrong = obstacle(seen))
      return fail(seen, wrong->reason, wrong->message);
    return accept(seen);
  }
  const auto staging = [&](size_t i) { return stage(seen, i, settings); };
  if (std::optional<Outcome> step = protect::handover::side_by_side(seen.members.size(), staging))
    return step;
  if (std::optional<Refusal> wrong = log_trouble(seen))
    return fail(seen, wrong->reason, wrong->message);
  if (std::optional<Outcome> step = put_logs_back(seen, settings)) return step;
  for (size_t i = 0; i < seen.members.size(); ++i)
    if (!seen.action.status.inputs->claims[i].log)
      if (std::optional<Outcome> step = switch_over(seen, i)) return step;
  return std::nullopt;
}

Outcome complete_restore(const ActionSeen& seen) {
  ActionReport report(seen);
  const std::string what = seen.action.status.restoring;
  std::vector<ReferenceResource>& resources = report.status().restored->references.resources;
  bool replaced = false;
  for (size_t i = 0; i < resources.size(); ++i) {
    replaced = replaced || resources[i].items.contains("oldPersistentVolume");
    resources[i].items["persistentVolume"] = {std::string(seen.members[i].fresh->object.name())};
    resources[i].items["persistentVolumeClaim"] = {seen.members[i].target_name};
  }
  return report
      .end(State::Completed, what == "revert" ? "Reverted" : "Restored",
           fmt::format("{} claims are bound to new volumes{}", resources.size(),
                       replaced ? "; those that they replaced are kept" : ""))
      .outcome();
}

std::optional<Outcome> finish_switch(const ActionSeen& seen) {
  if (seen.action.status.state != State::Restoring || seen.target_going) return std::nullopt;
  for (size_t i = 0; i < seen.members.size(); ++i)
    if (seen.members[i].is_begun())
      if (std::optional<Outcome> step = switch_over(seen, i)) return step;
  return std::nullopt;
}

std::optional<Outcome> clear_restore(const ActionSeen& seen) {
  // All of them first: one may mount several claims.
  for (const MemberSeen& its : seen.members)
    if (std::optional<Outcome> step = protect::handover::remove_prover(its)) return step;
  for (const MemberSeen& its : seen.members) {
    if (its.download && !its.download->object.being_deleted())
      return Outcome::act(protect::remove_move(*its.download));
    if (std::optional<Outcome> step = protect::handover::clear(its, kActionMark)) return step;
  }
  return std::nullopt;
}

}  // namespace holdfast::drivers::volumegroup
