// Descriptions of volume groups, and of actions with their steps.
#include <holdfast/base/text.h>
#include <holdfast/cli/cuts.h>
#include <holdfast/cli/runs.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/kube/typed.h>

#include "commands.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Value;

std::string schedules_text(const VolumeGroup& group) {
  std::vector<std::string> lines;
  for (const auto& each : group.spec.schedules)
    lines.push_back(fmt::format("{}: {}{}{}", model::word(each.action), each.cron,
                                each.time_zone.empty() ? "" : " " + each.time_zone,
                                each.suspend ? " (suspended)" : ""));
  return join(lines, "\n");
}

std::string_view text_at(const Value& object, std::initializer_list<std::string_view> path) {
  return model::string_at(object, path);
}

void tell(cli::Sheet& sheet, std::string_view title, const std::optional<RunStatus>& run) {
  if (!run) return;
  std::vector<Step> steps = run->last;
  steps.insert(steps.end(), run->running.begin(), run->running.end());
  cli::tell_steps(sheet, title, cli::step_texts(steps));
}

std::string item(const ReferenceResource& resource, const std::string& which) {
  const auto found = resource.items.find(which);
  return found == resource.items.end() ? "" : join(found->second, ", ");
}

void tell_members(cli::Sheet& sheet, const VolumeGroupAction::Status& status) {
  if (!status.inputs || !status.triggered) return;
  std::vector<std::string> snapshots;
  for (const ReferenceResource& each : status.triggered->references.resources)
    snapshots.push_back(item(each, "snapshot"));
  cli::tell_claims(sheet, status.inputs->claims, snapshots);
}

void tell_made(cli::Sheet& sheet, const VolumeGroupAction::Status& status) {
  if (!status.restored || status.restored->references.resources.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const ReferenceResource& each : status.restored->references.resources)
    rows.push_back({each.ns + "/" + each.name, item(each, "persistentVolume"),
                    item(each, "oldPersistentVolume")});
  sheet.table("Brought Back", {"Claim", "Volume", "Old Volume, Kept"}, rows);
}

void tell_cut(cli::Sheet& sheet, const VolumeGroupAction::Status& status, const Value& action) {
  std::optional<protect::Verdict> verdict;
  if (status.consistency)
    verdict = {*status.consistency, status.consistency_reason, status.consistency_message};
  cli::tell_cut(sheet, {verdict, model::array_at(action, {"status", "operations"}), status.owed});
}

void describe_group(const Value& object, cli::Sheet& sheet, const cli::Beside& beside) {
  const Result<VolumeGroup> decoded = model::decode_object<VolumeGroup>(object);
  if (!decoded) return sheet.entry("Unreadable", decoded.error().what());
  const VolumeGroup& group = *decoded;
  sheet.entry("Members", cli::members_text(group.spec.group));
  sheet.entry("State", group.status.state ? model::word(*group.status.state) : "not observed yet");
  sheet.entry_if("Running", group.status.running);
  sheet.entry("Snapshot", cli::way_text(group.spec.snapshot));
  sheet.entry("Backup", cli::way_text(group.spec.backup));
  const auto& location = group.spec.backup.location;
  sheet.entry("Location", location ? location->name : "the default one");
  sheet.entry("Commands As",
              group.spec.account.empty() ? "the operator (admins only)" : group.spec.account);
  sheet.entry("Schedules", schedules_text(group));
  std::vector<std::vector<std::string>> rows;
  const std::string labels =
      fmt::format("{}={}", kGroupLabel, text_at(object, {"metadata", "name"}));
  for (const Value& each :
       beside.list(kube::resource_of<VolumeGroupAction>(),
                   std::string(text_at(object, {"metadata", "namespace"})), labels))
    rows.push_back({std::string(text_at(each, {"metadata", "name"})),
                    std::string(text_at(each, {"spec", "action"})),
                    std::string(text_at(each, {"status", "state"})),
                    std::string(text_at(each, {"status", "consistency"})),
                    cli::age(text_at(each, {"metadata", "creationTimestamp"}), beside.now)});
  sheet.table("Actions", {"Name", "Action", "State", "Consistency", "Age"}, rows);
}

void describe_group_action(const Value& object, cli::Sheet& sheet, const cli::Beside& beside) {
  const Result<VolumeGroupAction> decoded = model::decode_object<VolumeGroupAction>(object);
  if (!decoded) return sheet.entry("Unreadable", decoded.error().what());
  const VolumeGroupAction::Spec& spec = decoded->spec;
  const VolumeGroupAction::Status& status = decoded->status;
  sheet.entry("Group", spec.source ? spec.source->group + ", from its repository" : spec.group);
  sheet.entry("Action", model::word(spec.action));
  sheet.entry("State", status.state ? model::word(*status.state) : "not observed yet");
  sheet.entry_if("Started", cli::when(status.started, beside.now));
  sheet.entry_if("Idle Since", cli::when(status.stopped, beside.now));
  tell_cut(sheet, status, object);
  tell(sheet, "Story", status.triggered);
  tell_members(sheet, status);
  tell(sheet, "Last Revert or Restore", status.restored);
  tell_made(sheet, status);
}

}  // namespace

std::vector<cli::DescribedKind> described_kinds() {
  return {{"longhorn.io", "VolumeGroup", describe_group},
          {"longhorn.io", "VolumeGroupAction", describe_group_action}};
}

}  // namespace holdfast::drivers::volumegroup
