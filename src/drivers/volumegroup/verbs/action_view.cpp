#include "action_view.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/describe.h>
#include <holdfast/cli/moves.h>
#include <holdfast/cli/words.h>
#include <holdfast/control/report.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

const model::Condition* find_condition(const VolumeGroupAction& action, std::string_view type) {
  return control::find_condition(action.status.conditions, type);
}

bool failed(const VolumeGroupAction& action, std::string_view type) {
  const model::Condition* condition = find_condition(action, type);
  return condition != nullptr && condition->status != "True";
}

/// The application was to hold still, and that is not what the verdict says.
bool less_than_asked(const VolumeGroupAction& action) {
  const VolumeGroupAction::Status& status = action.status;
  return status.inputs && !status.inputs->quiescing.empty() &&
         status.consistency.value_or(Consistency::Unknown) != Consistency::Application;
}

const std::vector<cli::Advice>& advice() {
  static const std::vector<cli::Advice> all{
      {"ClaimInUse", "scale the workload to 0, then run the same command again"},
      {"ClaimsExist", "--conflict Rename puts them beside, --conflict Replace in their place"},
      {"NoBackup", "go back to the snapshots with: holdfast group revert {name} -n {ns}"},
      {"SnapshotGone", "restore the backup with: holdfast group restore NAME -n {ns}"},
      {"NoBackupLocation", "holdfast location add … --default -n {ns}, or name one in the group"},
      {"BackupNotFound", "what is there: holdfast group list --location NAME -n {ns}"},
      {"RepositoryNotFound", "what is there: holdfast group list --location NAME -n {ns}"},
      {"NamespaceNotAllowed",
       "other namespaces are for groups of an administrators' one; see docs/volume-groups.md"},
      {"LockNotAcquired", "a long query holds the tables; try again, or raise lockBudgetSeconds"},
      {"Interrupted", "the application was released; run the same command again"},
  };
  return all;
}

/// What it holds counts here: a backup stays one whose restore was refused.
std::string state_of(const VolumeGroupAction& action) {
  if (!action.status.state) return "New";
  const model::Condition* run = find_condition(action, "Completed");
  const bool good = run != nullptr && run->status == "True";
  if (action.status.state == State::Error && good) return "Completed";
  return std::string(model::word(*action.status.state));
}

std::string kind_of(const VolumeGroupAction& action) {
  if (action.spec.source) return "found";
  return fmt::format("{}{}", action.spec.dry_run ? "dry run, " : "",
                     model::word(action.spec.action));
}

std::string title(std::string_view what, const FoundAction& found) {
  return fmt::format("{} of {} ({} of {}, {}):\n", what, found.name,
                     model::word(found.typed.spec.action), group_of(found.typed),
                     found.typed.status.started);
}

std::vector<std::string> snapshots_of(const VolumeGroupAction& action) {
  std::vector<std::string> out;
  if (!action.status.triggered) return out;
  for (const auto& each : action.status.triggered->references.resources)
    if (const auto items = each.items.find("snapshot"); items != each.items.end())
      out.insert(out.end(), items->second.begin(), items->second.end());
  return out;
}

}  // namespace

bool at_rest(const VolumeGroupAction& action) {
  return action.status.state == State::Completed || action.status.state == State::Error;
}

bool is_over(const VolumeGroupAction& action, const ActionGoal& goal) {
  if (!at_rest(action)) return false;
  if (!goal.restore) return true;
  if (action.status.restores.value_or(0) > goal.restores_before) return true;
  return goal.found_first && failed(action, "Completed");
}

std::string stage_text(const VolumeGroupAction& action) {
  if (!action.status.state) return "New";
  for (const std::optional<RunStatus>* run : {&action.status.restored, &action.status.triggered})
    if (*run && !(*run)->running.empty())
      return cli::stage_text(model::word(*action.status.state), cli::step_texts((*run)->running));
  return std::string(model::word(*action.status.state));
}

cli::Ending end_of(const FoundAction& found, const ActionGoal& goal) {
  const VolumeGroupAction& action = found.typed;
  const bool not_found = goal.found_first && failed(action, "Completed");
  const std::string_view type = goal.restore && !not_found ? "Restored" : "Completed";
  cli::Ending end = cli::ending_by(find_condition(action, type),
                                   {actions(), found.name, found.ns, kDescribe}, advice());
  if (end.code != codes::kDone || goal.restore || action.spec.dry_run) return end;
  if (less_than_asked(action)) {
    end.code = codes::kPartly;
    end.next = action.status.consistency_message;
    return end;
  }
  const bool backup = action.spec.action == GroupAction::Backup;
  end.next = fmt::format("bring it back with: holdfast group {} {} -n {}",
                         backup ? "restore" : "revert", found.name, found.ns);
  return end;
}

cli::Run run_of(Server& server, const std::string& name, const ActionGoal& goal) {
  const auto look = [goal](const model::Value& object) -> cli::Look {
    const Result<FoundAction> found = cli::to_found<VolumeGroupAction>(object);
    if (!found) return {.over = true};  // its ending says what is wrong
    const std::string stage = stage_text(found->typed);
    return {.over = is_over(found->typed, goal),
            .noticed = found->typed.status.state.has_value(),
            .stage = stage,
            .text = stage};
  };
  const auto ending = [goal](const model::Value& object) -> Result<cli::Ending> {
    return end_of(HF_TRY(cli::to_found<VolumeGroupAction>(object)), goal);
  };
  // A backup that is restored still has the moves that made it.
  using Direction = protect::DataMove::Direction;
  const Direction direction = goal.restore ? Direction::Restore : Direction::Backup;
  const auto moved = [&server, direction](const model::Value& object) -> std::string {
    const Result<FoundAction> found = cli::to_found<VolumeGroupAction>(object);
    if (!found || !found->typed.status.inputs) return "";
    const auto& inputs = *found->typed.status.inputs;
    return cli::moves_text(server, inputs.repository.empty() ? inputs.ns : found->ns,
                           fmt::format("{}={}", kActionLabel, found->uid), direction);
  };
  return {actions(), name, look, ending, moved, kDescribe, "the action"};
}

const std::string& group_of(const VolumeGroupAction& action) {
  return action.spec.source ? action.spec.source->group : action.spec.group;
}

std::vector<std::string> action_row(const FoundAction& found, WallTime now) {
  const VolumeGroupAction::Status& status = found.typed.status;
  const auto bytes = status.inputs ? cli::bytes_of(status.inputs->claims) : std::nullopt;
  return {found.name,
          group_of(found.typed),
          kind_of(found.typed),
          state_of(found.typed),
          status.consistency ? std::string(model::word(*status.consistency)) : "–",
          bytes ? cli::size_text(*bytes) : "–",
          cli::age(model::string_at(found.object, {"metadata", "creationTimestamp"}), now)};
}

std::string revert_plan(const FoundAction& found, const cli::VolumeOf& volume_of) {
  const auto& inputs = found.typed.status.inputs;
  return title("revert", found) +
         (inputs
              ? cli::replacing_text(inputs->claims, cli::BroughtBack::FromSnapshots, "", volume_of)
              : "  nothing: it has cut nothing\n");
}

std::string replace_plan(const FoundAction& found, const std::string& into,
                         const cli::VolumeOf& volume_of) {
  const auto& inputs = found.typed.status.inputs;
  return title("restore", found) +
         (inputs
              ? cli::replacing_text(inputs->claims, cli::BroughtBack::FromBackup, into, volume_of)
              : "  nothing: it holds no backup\n");
}

std::string delete_plan(const FoundAction& found, bool with_backup) {
  using Deletion = VolumeGroupAction::Deletion;
  const VolumeGroupAction::Spec& spec = found.typed.spec;
  const bool backup = spec.action == GroupAction::Backup;
  const bool keeps = !backup && spec.deletion_policy == Deletion::Retain;
  std::string text = title("deletion", found);
  const std::vector<std::string> snapshots = snapshots_of(found.typed);
  if (!snapshots.empty())
    text += fmt::format("  snapshots that {}: {}\n", keeps ? "stay" : "go", join(snapshots, ", "));
  if (backup && !spec.source)
    text += with_backup || spec.deletion_policy == Deletion::Delete
                ? "  the backup leaves its repository, for good\n"
                : "  the backup stays in its repository; holdfast group list --location shows it\n";
  text += "  volumes of claims, and those that were replaced, stay\n";
  return text;
}

}  // namespace holdfast::drivers::volumegroup
