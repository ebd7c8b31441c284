// The life of an action, top to bottom: begin, run, rest; a label at rest begins a revert or a
// restore; and the end of the object.
#include "action/plan.h"

#include <holdfast/base/text.h>

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
  if (seen.search && !seen.search->object.being_deleted())
    return Outcome::act(protect::remove_move(*seen.search));
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

/// What an upload under way has brought there already is known by its moves alone.
std::optional<Outcome> note_uploads(const ActionSeen& seen) {
  if (!seen.action.status.inputs || seen.forgetting) return std::nullopt;
  const auto brought = [](const std::optional<UsedMove>& move) {
    const bool counts = move && move->completed() && !move->object.being_deleted();
    return counts ? move->move.status.snapshot_id : std::string();
  };
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  bool news = false;
  const auto note = [&](std::string& known, const std::string& id) {
    news = news || (known.empty() && !id.empty());
    if (known.empty()) known = id;
  };
  note(status.catalogue, brought(seen.catalogue));
  for (size_t i = 0; i < seen.members.size(); ++i)
    note(status.inputs->claims[i].snapshot_id, brought(seen.members[i].move));
  if (!news) return std::nullopt;
  return report.outcome();
}

/// Nothing when the repository has let go of the backup, or is to keep it.
std::optional<Outcome> forget(const ActionSeen& seen) {
  if (!forgets_backup(seen)) return std::nullopt;
  if (std::optional<Outcome> step = note_uploads(seen)) return step;
  if (snapshots_of(seen.action.status).empty()) return std::nullopt;
  if (!seen.forgetting) return Outcome::act(create_forget(seen));
  if (!seen.forgetting->is_over()) return Outcome::wait(10s, "Forgetting");
  if (seen.forgetting->completed()) {
    // Written down before the move goes: else it would look as if nobody had forgotten it yet.
    ActionReport report(seen);
    report.status().catalogue.clear();
    for (ClaimRecord& claim : report.status().inputs->claims) claim.snapshot_id.clear();
    return report.outcome();
  }
  const std::string message = fmt::format(
      "the backup could not be removed from the repository: {}; spec.deletionPolicy: Retain "
      "deletes this object and keeps the backup",
      seen.forgetting->trouble().text());
  for (const model::Condition& each : seen.action.status.conditions)
    if (each.type == "DeletionBlocked" && each.message == message)
      return Outcome::wait(1min, "DeletionBlocked", message);
  return ActionReport(seen)
      .condition("DeletionBlocked", true, "ForgetFailed", message)
      .note(true, "ForgetFailed", message)
      .outcome();
}

/// An edit of what is read once is not obeyed, and whoever made it is told so.
std::optional<Outcome> tell_edits(const ActionSeen& seen) {
  const auto& told = seen.action.status.conditions;
  const auto found = std::find_if(told.begin(), told.end(),
                                  [](const auto& each) { return each.type == "SpecChanged"; });
  if (seen.edited.empty()) {
    if (found == told.end()) return std::nullopt;
    return ActionReport(seen).drop_condition("SpecChanged").outcome();
  }
  const std::string message = fmt::format(
      "{} changed after the action began, and is ignored (status.asked has the spec in use): "
      "create a new VolumeGroupAction",
      join(seen.edited, ", "));
  if (found != told.end() && found->message == message) return std::nullopt;
  return ActionReport(seen)
      .condition("SpecChanged", true, "SpecCannotChange", message)
      .note(true, "SpecCannotChange", message)
      .outcome();
}

/// The object goes: nothing may be left still, labelled or half made.
Outcome end(const ActionSeen& seen) {
  if (!seen.has_finalizer) return Outcome::done("Deleting");
  if (std::optional<Outcome> owed = settle_debts(seen)) return std::move(*owed);
  if (std::optional<Outcome> step = finish_switch(seen)) return std::move(*step);
  if (std::optional<Outcome> step = clear_restore(seen)) return std::move(*step);
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
