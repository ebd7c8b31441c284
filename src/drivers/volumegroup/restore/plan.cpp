// Steps of a restore: check all → fill and prove all → switch one after the other.
#include "restore/plan.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include "action/objects.h"
#include "action/report.h"
#include "log/plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Conflict = VolumeGroupAction::Conflict;

/// Volumes that are filled and proven at the same time; each costs a pod, and a copy its disk.
constexpr size_t kStagedAtOnce = 4;

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
  std::vector<std::string> there, used;
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
    if (claim.log) continue;
    if (its.target && !its.is_done())
      there.push_back(fmt::format("{}/{}{}", its.target_ns, its.target_name,
                                  claim.size == its.target->size
                                      ? ""
                                      : fmt::format(" (of {}, the one to be restored has {})",
                                                    its.target->size, claim.size)));
    for (const std::string& pod : its.users)
      used.push_back(fmt::format("{} by pod {}", its.target_name, pod));
  }
  if (!there.empty() && !replaces(seen))
    return Refusal{"ClaimsExist",
                   fmt::format("there already: {}; delete them, or set spec.restore.conflict to "
                               "Rename or Replace",
                               join(there, ", "))};
  if (!used.empty() && replaces(seen))
    return Refusal{"ClaimInUse",
                   fmt::format("in use: {}; scale the workload down first", join(used, ", "))};
  return std::nullopt;
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
  const std::string& name = seen.action.status.inputs->claims[i].name;
  const bool log = seen.action.status.inputs->claims[i].log.has_value();
  if (its.is_kept() || its.is_done() || (log && logs_are_back(seen))) return std::nullopt;
  if (!its.staged) return Outcome::act(create_staged(seen, i));
  if (is_revert(seen)) {
    // The pod that puts the log back mounts it, too.
    if (log) return std::nullopt;
    if (!its.prover)
      return Outcome::act(protect::handover::make_prover(its, owned(seen),
                                                         seen.action.status.inputs->claims[i],
                                                         settings.image, settings.command));
    if (its.prover_phase == "Failed")
      return fail(seen, "SnapshotNotMountable",
                  fmt::format("the volume made of the snapshot of claim {} cannot be used: {}",
                              name, its.prover_message));
    if (its.prover_phase != "Succeeded") return Outcome::wait(1s, "Proving", its.prover_message);
  } else {
    if (!its.download) return Outcome::act(create_download(seen, i));
    if (!its.download->is_over()) return Outcome::wait(10s, "Downloading");
    if (!its.download->completed()) {
      const control::Refusal trouble = its.download->trouble();
      return fail(seen, trouble.reason, fmt::format("claim {}: {}", name, trouble.text()));
    }
    // A move that is over still gives the volume its own policy back. Done after ours, that would
    // have the volume deleted with the claim that it is taken from.
    if (!its.download->object.meta().finalizers.empty())
      return Outcome::wait(500ms, "MoveClearingAway");
  }
  if (log) return std::nullopt;
  if (!its.fresh) return Outcome::wait(500ms, "WaitingForVolume");
  return Outcome::act(protect::handover::keep(*its.fresh, owned(seen), its.staged_name));
}

/// Side by side, as far as none of them waits for itself alone. Nothing when all are filled and
/// proven.
std::optional<Outcome> stage_all(const ActionSeen& seen, const GroupSettings& settings) {
  std::optional<Outcome> awaited;
  size_t under_way = 0;
  for (size_t i = 0; i < seen.members.size() && under_way < kStagedAtOnce; ++i) {
    std::optional<Outcome> step = stage(seen, i, settings);
    if (!step) continue;
    if (step->kind != Outcome::Kind::Wait) return step;
    ++under_way;
    if (!awaited || step->again < awaited->again) awaited = std::move(step);
  }
  return awaited;
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
  if (std::optional<Outcome> step = stage_all(seen, settings)) return step;
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
