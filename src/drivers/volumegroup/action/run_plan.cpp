#include "action/run_plan.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/owed.h>
#include <holdfast/protect/cut/verdict.h>
#include <holdfast/protect/cut/window_steps.h>

#include "action/objects.h"
#include "action/report.h"
#include "log/plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using protect::DataMove;

constexpr auto kLocationPatience = 10s;

Outcome begin(const ActionSeen& seen) {
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  status.started = model::to_rfc3339(seen.now);
  status.triggered.emplace();
  status.triggered->started = status.started;
  if (!seen.no_group.empty())
    return report.end(State::Error, "VolumeGroupNotFound", seen.no_group).outcome();
  const Resolution& found = *seen.resolution;
  // One that was made together with the action may not be known yet.
  if (found.refusal && found.refusal->reason == "NoBackupLocation" && seen.created &&
      seen.now - *seen.created < kLocationPatience)
    return Outcome::wait(1s, found.refusal->reason, found.refusal->message);
  if (found.refusal)
    return report.end(State::Error, found.refusal->reason, found.refusal->message).outcome();
  status.inputs = found.inputs;
  status.triggered->running = protect::window_steps(found.inputs.quiescing);
  if (seen.action.spec.action == GroupAction::Backup)
    status.triggered->running.push_back({.name = "backup"});
  for (const ClaimRecord& claim : found.inputs.claims)
    status.triggered->references.resources.push_back(
        {.name = claim.name, .ns = claim.ns, .items = {{"volume", {claim.volume}}}});
  if (!seen.action.spec.dry_run) return report.state(State::Pending).outcome();
  return report
      .end(State::Completed, "DryRun",
           fmt::format("{} volumes in {} pods would be cut by {}; status.inputs has the details",
                       found.inputs.claims.size(), found.inputs.pods.size(),
                       model::word(found.inputs.cut)))
      .outcome();
}

std::optional<Outcome> remove_labels(const ActionSeen& seen) {
  for (const MemberSeen& member : seen.members)
    if (member.claim && member.labelled) return Outcome::act(label_claim(seen, member, false));
  return std::nullopt;
}

Outcome prepare(const ActionSeen& seen) {
  if (!seen.has_finalizer) return Outcome::act(hold(seen));
  const Inputs& inputs = *seen.action.status.inputs;
  for (size_t i = 0; i < seen.members.size(); ++i) {
    if (seen.members[i].claim) continue;
    if (std::optional<Outcome> step = remove_labels(seen)) return std::move(*step);
    return ActionReport(seen)
        .end(State::Error, "ClaimNotFound",
             fmt::format("claim {}/{} was deleted before it was cut", inputs.claims[i].ns,
                         inputs.claims[i].name))
        .outcome();
  }
  if (inputs.cut == Cut::Group)
    for (const MemberSeen& member : seen.members)
      if (!member.labelled) return Outcome::act(label_claim(seen, member, true));
  ActionReport report(seen);
  report.state(State::Started);
  std::vector<Step>& steps = report.status().triggered->running;
  steps.front().state = State::Started;
  steps.front().started_at = model::to_rfc3339_micro(seen.now);
  return report.outcome();
}

Outcome tell_window(const ActionSeen& seen) {
  const Inputs& inputs = *seen.action.status.inputs;
  const bool died = !seen.window_result;
  const protect::WindowResult window = died ? protect::interrupted_window() : *seen.window_result;
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  protect::tell_window(status.triggered->running, inputs.quiescing, window);
  status.owed = died ? protect::all_owed(inputs) : window.owed;
  const protect::Verdict verdict = protect::judge(inputs, window);
  status.consistency = verdict.consistency;
  status.consistency_reason = verdict.reason;
  status.consistency_message = verdict.message;
  if (inputs.cut == Cut::Each && window.reason.empty())
    for (size_t i = 0; i < inputs.claims.size(); ++i) {
      status.triggered->references.resources[i].items["snapshot"] = {
          cut_name(seen, &inputs.claims[i])};
      if (i < window.cut_uids.size()) status.inputs->claims[i].snapshot_uid = window.cut_uids[i];
    }
  if (verdict.reason == protect::kLogPending) expect_logs(seen, window, status);
  report.condition("ApplicationConsistent", verdict.consistency == Consistency::Application,
                   verdict.reason, verdict.message);
  if (!window.guarded)
    report.condition("DeadManRelease", false, "Unguarded",
                     "no guard ran in the containers: had the operator died, the post actions "
                     "would not have run");
  if (!status.owed.empty())
    report.condition("QuiesceLeaked", true, "PostActionsOwed", protect::leak_text(status.owed));
  return report.outcome();
}

/// A lock taken now, or let go, would be another run's.
Outcome await_pods() {
  return Outcome::wait(1s, "PodBusy", "another run is quiescing a pod of this one");
}

Outcome release(const ActionSeen& seen) {
  using Kind = protect::NextRelease::Kind;
  protect::NextRelease next =
      protect::next_release(seen.release, seen.action.status.owed, seen.now);
  if (next.kind == Kind::Try && seen.pods_busy) return await_pods();
  if (next.kind == Kind::Try) return Outcome::ask("release", next.attempt);
  if (next.kind == Kind::Wait) return Outcome::wait(next.again, "PostActionsOwed");
  ActionReport report(seen);
  if (next.left.empty())
    report.condition("QuiesceLeaked", false, "Released", "all post actions are done");
  else
    report.condition("QuiesceLeaked", true, "PostActionsOwed", protect::leak_text(next.left));
  report.status().owed = std::move(next.left);
  return report.outcome();
}

protect::StandingCut standing_cut(const ActionSeen& seen) {
  protect::StandingCut out{.group = seen.group_cut ? &*seen.group_cut : nullptr};
  for (const MemberSeen& member : seen.members)
    out.snapshots.push_back(member.snapshot ? &*member.snapshot : nullptr);
  return out;
}

std::chrono::milliseconds patience(const ActionSeen& seen) {
  return protect::cut_patience(seen.window_result->cut_seen_at, seen.now);
}

/// The snapshots of a group cut are found by what the group says of itself.
std::optional<Outcome> name_members(const ActionSeen& seen) {
  const Inputs& inputs = *seen.action.status.inputs;
  if (inputs.cut == Cut::Each || !snapshot_name(seen.action.status, 0).empty()) return std::nullopt;
  if (!seen.group_cut)
    return ActionReport(seen)
        .end(State::Error, "SnapshotGone",
             fmt::format("VolumeGroupSnapshot {} was deleted", cut_name(seen, nullptr)))
        .outcome();
  ActionReport report(seen);
  for (size_t i = 0; i < inputs.claims.size(); ++i) {
    if (inputs.claims[i].log) continue;
    const auto found = seen.group_members.find(inputs.claims[i].name);
    if (found == seen.group_members.end())
      return Outcome::wait(patience(seen), "WaitingForMembers");
    report.status().triggered->references.resources[i].items["snapshot"] = {found->second.name};
    report.status().inputs->claims[i].snapshot_uid = found->second.uid;
  }
  report.status().triggered->references.resources.front().items["volumeGroupSnapshot"] = {
      cut_name(seen, nullptr)};
  return report.outcome();
}

std::optional<Outcome> await_snapshots(const ActionSeen& seen) {
  const Inputs& inputs = *seen.action.status.inputs;
  const protect::StandingCut cut = standing_cut(seen);
  if (const std::string what = protect::replaced_cut(inputs, seen.window_result->cut_uids, cut);
      !what.empty())
    return ActionReport(seen)
        .end(State::Error, "SnapshotReplaced",
             what + " is another one than the cut: it was deleted and made again")
        .outcome();
  if (std::optional<Outcome> step = name_members(seen)) return step;
  const protect::StandingState state = protect::state_of(inputs, cut);
  if (!state.trouble.reason.empty())
    return ActionReport(seen)
        .end(State::Error, state.trouble.reason, state.trouble.message)
        .outcome();
  if (!state.ready) return Outcome::wait(patience(seen), "WaitingForSnapshots");
  return std::nullopt;
}

Outcome fail_upload(const ActionSeen& seen) {
  ActionReport report(seen);
  Inputs& inputs = *report.status().inputs;
  std::string reason;
  std::vector<std::string> troubles;
  for (size_t i = 0; i < seen.members.size(); ++i) {
    const MemberSeen& member = seen.members[i];
    if (!member.move) continue;
    const control::Refusal trouble = member.move->trouble(upload_of(seen, i));
    if (trouble.reason.empty()) {
      // No catalogue will ever list it.
      inputs.claims[i].snapshot_id = member.move->move.status.snapshot_id;
      continue;
    }
    if (reason.empty()) reason = trouble.reason;
    troubles.push_back(fmt::format("claim {}: {}", inputs.claims[i].name, trouble.text()));
  }
  if (troubles.empty() && seen.catalogue) {
    const control::Refusal trouble = seen.catalogue->trouble(catalogue_of(seen));
    troubles.push_back("catalogue: " + trouble.text());
    reason = trouble.reason.starts_with("Snapshot") ? trouble.reason : "CatalogueFailed";
  }
  const protect::Reference where = inputs.location.value_or(protect::Reference());
  const std::string message = fmt::format(
      "upload to BackupLocation {}/{}: {}; the snapshots are kept, and can be reverted to",
      where.ns.empty() ? inputs.ns : where.ns, where.name, join(troubles, "; "));
  return report.step("backup", State::Error, message).end(State::Error, reason, message).outcome();
}

bool uploads_begun(const ActionSeen& seen) {
  return protect::has_begun(*seen.action.status.triggered, "backup");
}

/// Nothing when all of it is in the repository, the catalogue too.
std::optional<Outcome> upload(const ActionSeen& seen) {
  if (!uploads_begun(seen)) return ActionReport(seen).step("backup", State::Started).outcome();
  bool over = true, failed = false;
  for (size_t i = 0; i < seen.members.size(); ++i) {
    const std::optional<UsedMove>& move = seen.members[i].move;
    if (!move) return Outcome::act(create_upload(seen, i));
    over = over && move->is_over();
    failed = failed || (move->is_over() && !move->trouble(upload_of(seen, i)).reason.empty());
  }
  if (!over) return Outcome::wait(10s, "Uploading");
  if (failed) return fail_upload(seen);
  if (!seen.catalogue) return Outcome::act(create_catalogue(seen));
  if (!seen.catalogue->is_over()) return Outcome::wait(10s, "WritingCatalogue");
  if (!seen.catalogue->trouble(catalogue_of(seen)).reason.empty()) return fail_upload(seen);
  return std::nullopt;
}

Outcome complete(const ActionSeen& seen) {
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  const bool backup = seen.action.spec.action == GroupAction::Backup;
  if (backup) {
    status.catalogue = seen.catalogue->move.status.snapshot_id;
    for (size_t i = 0; i < seen.members.size(); ++i) {
      const protect::DataMove::Status& moved = seen.members[i].move->move.status;
      status.inputs->claims[i].snapshot_id = moved.snapshot_id;
      if (moved.progress) status.inputs->claims[i].bytes = moved.progress->bytes_done;
      status.triggered->references.resources[i].items["backup"] = {upload_name(seen, i)};
    }
    report.step("backup", State::Completed);
  }
  return report
      .end(State::Completed, backup ? "BackedUp" : "SnapshotsTaken",
           fmt::format("{} volumes, consistency {}: {}", status.inputs->volumes(),
                       model::word(*status.consistency), status.consistency_reason))
      .outcome();
}

}  // namespace

bool cut_succeeded(const ActionSeen& seen) {
  return seen.window_result && seen.window_result->reason.empty();
}

bool needs_snapshots(const ActionSeen& seen) {
  const VolumeGroupAction::Status& status = seen.action.status;
  if (seen.deleting) return true;
  if (status.state == State::Restoring)
    return status.restoring == "revert" && status.restored->running.front().state == State::Pending;
  return status.state == State::Started && seen.window && !uploads_begun(seen);
}

std::optional<Outcome> settle_debts(const ActionSeen& seen) {
  const VolumeGroupAction::Status& status = seen.action.status;
  if (!seen.window) return std::nullopt;
  if (seen.window->begun_and_unknown()) return Outcome::ask("window");
  if (!status.consistency) return tell_window(seen);
  if (!status.owed.empty()) return release(seen);
  if (const auto left = protect::guards_act_for(*status.inputs, seen, seen.now))
    return Outcome::wait(*left, "AwaitingGuards");
  return std::nullopt;
}

bool holds_backup(const VolumeGroupAction::Status& status) {
  if (!status.inputs) return false;
  if (!status.catalogue.empty()) return true;
  return status.triggered && protect::has_begun(*status.triggered, "backup");
}

std::optional<Outcome> clear_moves(const ActionSeen& seen) {
  if (std::optional<Outcome> step = remove_labels(seen)) return step;
  std::vector<const std::optional<UsedMove>*> all;
  for (const MemberSeen& member : seen.members) all.push_back(&member.move);
  all.push_back(&seen.catalogue);
  for (const SearchSeen& search : seen.searches) all.push_back(&search.move);
  for (const auto* each : all)
    if (*each && !(*each)->object.being_deleted())
      return Outcome::act(protect::remove_move(**each));
  for (const auto* each : all)
    if (*each) return Outcome::wait(1s, "MovesGoing");
  return std::nullopt;
}

std::optional<Outcome> clear_run(const ActionSeen& seen, bool snapshots) {
  if (seen.forgetting && !seen.forgetting->object.being_deleted())
    return Outcome::act(protect::remove_move(*seen.forgetting));
  if (snapshots) return protect::remove_cuts(seen.group_kinds, standing_cut(seen));
  return std::nullopt;
}

Outcome plan_run(const ActionSeen& seen) {
  const VolumeGroupAction::Status& status = seen.action.status;
  if (!status.inputs) return begin(seen);
  if (status.state != State::Started) return prepare(seen);
  if (!seen.window) return seen.pods_busy ? await_pods() : Outcome::ask("window");
  if (std::optional<Outcome> debt = settle_debts(seen)) return std::move(*debt);
  if (std::optional<Outcome> step = remove_labels(seen)) return std::move(*step);
  if (!cut_succeeded(seen)) {
    if (std::optional<Outcome> step = protect::remove_cuts(seen.group_kinds, standing_cut(seen)))
      return std::move(*step);
    return ActionReport(seen)
        .end(State::Error, status.consistency_reason, status.consistency_message)
        .outcome();
  }
  if (std::optional<Outcome> step = keep_logs(seen)) return std::move(*step);
  if (!uploads_begun(seen))
    if (std::optional<Outcome> step = await_snapshots(seen)) return std::move(*step);
  if (seen.action.spec.action == GroupAction::Backup)
    if (std::optional<Outcome> step = upload(seen)) return std::move(*step);
  return complete(seen);
}

}  // namespace holdfast::drivers::volumegroup
