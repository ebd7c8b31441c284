#include "action_view.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/describe.h>
#include <holdfast/cli/words.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::drivers::volumegroup {
namespace {

const model::Condition* find_condition(const VolumeGroupAction& action, std::string_view type) {
  for (const model::Condition& each : action.status.conditions)
    if (each.type == type) return &each;
  return nullptr;
}

bool failed(const VolumeGroupAction& action, std::string_view type) {
  const model::Condition* condition = find_condition(action, type);
  return condition != nullptr && condition->status != "True";
}

const std::vector<Step>* steps_under_way(const VolumeGroupAction& action) {
  for (const std::optional<RunStatus>* run : {&action.status.restored, &action.status.triggered})
    if (*run && !(*run)->running.empty()) return &(*run)->running;
  return nullptr;
}

/// The application was to hold still, and that is not what the verdict says.
bool less_than_asked(const VolumeGroupAction& action) {
  const VolumeGroupAction::Status& status = action.status;
  return status.inputs && !status.inputs->quiescing.empty() &&
         status.consistency.value_or(Consistency::Unknown) != Consistency::Application;
}

cli::Ending well(const FoundAction& found, const ActionGoal& goal, const std::string& message) {
  cli::Ending end;
  end.said = fmt::format("volumegroupaction.longhorn.io/{}: {}", found.name, message);
  const VolumeGroupAction& action = found.action;
  if (goal.restore || action.spec.dry_run) return end;
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

struct Advice {
  std::string_view reason, said;
};
constexpr std::array kAdvice{
    Advice{"ClaimInUse", "scale the workload to 0, then run the same command again"},
    Advice{"ClaimsExist", "--conflict Rename puts them beside, --conflict Replace in their place"},
    Advice{"NoBackup", "go back to the snapshots with: holdfast group revert {name} -n {ns}"},
    Advice{"SnapshotGone", "restore the backup with: holdfast group restore NAME -n {ns}"},
    Advice{"NoBackupLocation",
           "holdfast location add … --default -n {ns}, or name one in the group"},
    Advice{"BackupNotFound", "what is there: holdfast group list --location NAME -n {ns}"},
    Advice{"RepositoryNotFound", "what is there: holdfast group list --location NAME -n {ns}"},
    Advice{"NamespaceNotAllowed",
           "other namespaces are for groups of an administrators' one; see docs/volume-groups.md"},
    Advice{"LockNotAcquired",
           "a long query holds the tables; try again, or raise lockBudgetSeconds"},
    Advice{"Interrupted", "the application was released; run the same command again"},
};

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
  std::string text = model::word(*action.status.state);
  const std::vector<Step>* steps = steps_under_way(action);
  if (steps == nullptr) return text;
  const auto under_way = std::find_if(steps->begin(), steps->end(), [](const Step& each) {
    return each.state == State::Started || each.state == State::Pending;
  });
  if (under_way == steps->end()) return text;
  return fmt::format("{}  {}, {} of {}", text, under_way->name, under_way - steps->begin() + 1,
                     steps->size());
}

std::string order_text(const Quiescing& how) {
  std::vector<std::string> words;
  if (!how.profile.empty()) words.push_back("profile " + how.profile);
  for (const auto& each : how.pre_actions) words.push_back(each.name);
  words.emplace_back("cut");
  for (const auto& each : how.post_actions) words.push_back(each.name);
  return join(words, " → ");
}

std::optional<uint64_t> bytes_of(const VolumeGroupAction& action) {
  std::optional<uint64_t> out;
  if (!action.status.inputs) return out;
  for (const auto& claim : action.status.inputs->claims)
    if (claim.bytes && !claim.log)
      out = out.value_or(0) + uint64_t(std::max<int64_t>(0, *claim.bytes));
  return out;
}

std::string advice_for(std::string_view reason, const FoundAction& found) {
  for (const Advice& each : kAdvice)
    if (each.reason == reason)
      return fmt::format(fmt::runtime(each.said), fmt::arg("name", found.name),
                         fmt::arg("ns", found.ns));
  return "";
}

cli::Ending end_of(const FoundAction& found, const ActionGoal& goal) {
  const bool not_found = goal.found_first && failed(found.action, "Completed");
  const std::string_view type = goal.restore && !not_found ? "Restored" : "Completed";
  const model::Condition* condition = find_condition(found.action, type);
  if (condition != nullptr && condition->status == "True")
    return well(found, goal, fmt::format("{}: {}", condition->reason, condition->message));
  cli::Ending end{.code = codes::kFailed};
  const std::string reason = condition == nullptr ? "Unknown" : condition->reason;
  end.said = fmt::format("{}: {}: {}", found.name, reason,
                         condition == nullptr ? "it ended without a message" : condition->message);
  end.next = advice_for(reason, found);
  if (end.next.empty())
    end.next = fmt::format("more: holdfast group describe {} -n {}", found.name, found.ns);
  return end;
}

std::vector<std::string> action_row(const FoundAction& found, WallTime now) {
  const VolumeGroupAction& action = found.action;
  const std::optional<uint64_t> bytes = bytes_of(action);
  const std::string group = action.spec.source ? action.spec.source->group : action.spec.group;
  return {found.name,
          group,
          kind_of(action),
          state_of(action),
          action.status.consistency ? std::string(model::word(*action.status.consistency)) : "–",
          bytes ? cli::size_text(*bytes) : "–",
          cli::age(model::string_at(found.object, {"metadata", "creationTimestamp"}), now)};
}

}  // namespace holdfast::drivers::volumegroup
