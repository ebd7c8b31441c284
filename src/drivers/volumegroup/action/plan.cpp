// The life of an action, top to bottom: begin, run, rest; a label at rest begins a revert or a
// restore; and the end of the object.
#include "action/plan.h"

#include <holdfast/control/asked.h>
#include <holdfast/model/time.h>

#include "action/objects.h"
#include "action/report.h"
#include "action/run_plan.h"
#include "action/source_plan.h"
#include "restore/plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

bool at_rest(const ActionSeen& seen) {
  return seen.action.status.state == State::Completed || seen.action.status.state == State::Error;
}

Outcome refuse_label(const ActionSeen& seen, const std::string& message) {
  Outcome out = Outcome::act(remove_trigger(seen));
  out.notes.push_back(control::Note{
      .warning = true, .reason = "UnknownAction", .message = message, .action = "Trigger"});
  return out;
}

Outcome rest(const ActionSeen& seen) {
  // Of a restore that failed nothing is to stay behind.
  if (std::optional<Outcome> step = clear_restore(seen)) return std::move(*step);
  // What the search brought stands in the status now.
  for (const SearchSeen& each : seen.searches)
    if (each.move && !each.move->object.being_deleted())
      return Outcome::act(protect::remove_move(*each.move));
  if (seen.label.empty()) return Outcome::done("AtRest");
  if (seen.label == "revert" || seen.label == "restore") return begin_restore(seen);
  if (seen.label == model::word(seen.action.spec.action)) return Outcome::act(remove_trigger(seen));
  return refuse_label(seen, fmt::format("{} = {}: a VolumeGroupAction takes revert and restore",
                                        seen.label_key, seen.label));
}

bool deletes_snapshots(const ActionSeen& seen) {
  using Deletion = VolumeGroupAction::Deletion;
  return seen.action.spec.action == GroupAction::Backup ||
         seen.action.spec.deletion_policy.value_or(Deletion::Delete) == Deletion::Delete;
}

bool forgets_backup(const ActionSeen& seen) {
  return seen.action.spec.action == GroupAction::Backup && !seen.action.spec.source &&
         seen.action.spec.deletion_policy == VolumeGroupAction::Deletion::Delete;
}

constexpr const char* kForgotten = "BackupForgotten";
/// So long after it has failed a forgetting is tried again.
constexpr auto kForgetAgain = 10min;

/// The location has not let it go: told, and tried again.
Outcome forget_again(const ActionSeen& seen) {
  const std::string message = fmt::format(
      "the backup could not be removed from the repository: {}; it is tried again, and "
      "spec.deletionPolicy: Retain deletes this object and keeps the backup",
      seen.forgetting->trouble().text());
  ActionReport report(seen);
  if (report.set("DeletionBlocked", "True", "ForgetFailed", message))
    return report.note(true, "ForgetFailed", message).outcome();
  const auto* ended = control::find_condition(seen.forgetting->move.status.conditions, "Completed");
  const auto since =
      ended == nullptr ? std::nullopt : model::parse_rfc3339(ended->last_transition_time);
  const WallTime due = since.value_or(seen.now) + kForgetAgain;
  if (due > seen.now) return Outcome::wait(1min, "DeletionBlocked", message);
  return Outcome::act(protect::remove_move(*seen.forgetting));
}

/// Nothing when the repository has let go of the backup, or is to keep it.
std::optional<Outcome> forget(const ActionSeen& seen) {
  if (!forgets_backup(seen) || !holds_backup(seen.action.status)) return std::nullopt;
  if (control::find_condition(seen.action.status.conditions, kForgotten) != nullptr)
    return std::nullopt;
  if (!seen.forgetting) return Outcome::act(create_forget(seen));
  if (seen.forgetting->object.being_deleted()) return Outcome::wait(1s, "MovesGoing");
  if (!seen.forgetting->is_over()) return Outcome::wait(10s, "Forgetting");
  if (!seen.forgetting->completed()) return forget_again(seen);
  // Written down before the move goes: else it would look as if nobody had forgotten it yet.
  ActionReport report(seen);
  report.status().catalogue.clear();
  for (ClaimRecord& claim : report.status().inputs->claims) claim.snapshot_id.clear();
  return report.drop_condition("DeletionBlocked")
      .condition(kForgotten, true, "Forgotten", "nothing of it is left in the repository")
      .outcome();
}

std::optional<Outcome> tell_edits(const ActionSeen& seen) {
  ActionReport report(seen);
  if (!control::tell_edits(report, seen.edited, "the action began")) return std::nullopt;
  return report.outcome();
}

/// The object goes: nothing may be left still, labelled or half made.
Outcome end(const ActionSeen& seen) {
  if (!seen.has_finalizer) return Outcome::done("Deleting");
  if (std::optional<Outcome> owed = settle_debts(seen)) return std::move(*owed);
  if (std::optional<Outcome> step = finish_switch(seen)) return std::move(*step);
  if (std::optional<Outcome> step = clear_restore(seen)) return std::move(*step);
  if (std::optional<Outcome> step = clear_moves(seen)) return std::move(*step);
  if (std::optional<Outcome> step = forget(seen)) return std::move(*step);
  if (std::optional<Outcome> step = clear_run(seen, deletes_snapshots(seen)))
    return std::move(*step);
  return Outcome::act(let_go(seen));
}

}  // namespace

Outcome plan_action(const ActionSeen& seen, const GroupSettings& settings) {
  if (seen.deleting) return end(seen);
  if (std::optional<Outcome> step = tell_edits(seen)) return std::move(*step);
  if (at_rest(seen)) return rest(seen);
  if (seen.action.status.state == State::Restoring) {
    // The wish is fulfilled with the restore: the label goes before the state says so.
    std::optional<Outcome> step = plan_restore(seen, settings);
    if (step) return std::move(*step);
    if (seen.label == seen.action.status.restoring) return Outcome::act(remove_trigger(seen));
    return complete_restore(seen);
  }
  if (seen.action.spec.source) return plan_source(seen, settings);
  return plan_run(seen);
}

}  // namespace holdfast::drivers::volumegroup
