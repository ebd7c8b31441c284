// Descriptions of volume groups, and of actions with their steps.
#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>

#include "action_view.h"
#include "commands.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Value;

std::string members_text(const VolumeGroup& group) {
  std::string text = model::word(group.spec.group.kind);
  if (!group.spec.group.names.empty()) text += " " + join(group.spec.group.names, ", ");
  if (group.spec.group.selector)
    text += " with labels " + model::to_json(*group.spec.group.selector);
  if (!group.spec.group.ns.empty()) text += " of namespace " + group.spec.group.ns;
  return text;
}

std::string way_text(const Quiescing& how) {
  if (how.empty()) return "not quiesced while it is cut";
  return fmt::format("{}; within {} s", order_text(how), how.freeze_deadline_seconds);
}

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

/// "0.048 s" between two times; "" while it is not over.
std::string took(const Step& step) {
  const auto began = model::parse_rfc3339(step.started_at);
  const auto ended = model::parse_rfc3339(step.finished_at);
  if (!began || !ended) return "";
  return fmt::format("{:.3f} s", std::chrono::duration<double>(*ended - *began).count());
}

void tell(cli::Sheet& sheet, std::string_view title, const std::optional<RunStatus>& run) {
  if (!run) return;
  std::vector<std::vector<std::string>> rows;
  for (const auto* steps : {&run->last, &run->running})
    for (const Step& each : *steps)
      rows.push_back(
          {each.name, model::word(each.state), each.started_at, took(each), each.pod, each.error});
  sheet.table(title, {"Step", "State", "Started", "Took", "Pod", "Error"}, rows);
}

std::string item(const ReferenceResource& resource, const std::string& which) {
  const auto found = resource.items.find(which);
  return found == resource.items.end() ? "" : join(found->second, ", ");
}

void tell_members(cli::Sheet& sheet, const VolumeGroupAction::Status& status) {
  if (!status.inputs || !status.triggered) return;
  const auto& resources = status.triggered->references.resources;
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < status.inputs->claims.size() && i < resources.size(); ++i) {
    const ClaimRecord& claim = status.inputs->claims[i];
    const std::string what = claim.log ? fmt::format(" (log of {})", claim.log->pod) : "";
    rows.push_back({claim.ns + "/" + claim.name + what, claim.size, claim.volume,
                    item(resources[i], "snapshot"), claim.snapshot_id.substr(0, 8),
                    claim.bytes ? cli::size_text(uint64_t(*claim.bytes)) : ""});
  }
  sheet.table("Claims", {"Name", "Size", "Volume", "Snapshot", "Backup", "Bytes"}, rows);
}

void tell_made(cli::Sheet& sheet, const VolumeGroupAction::Status& status) {
  if (!status.restored || status.restored->references.resources.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const ReferenceResource& each : status.restored->references.resources)
    rows.push_back({each.ns + "/" + each.name, item(each, "persistentVolume"),
                    item(each, "oldPersistentVolume")});
  sheet.table("Brought Back", {"Claim", "Volume", "Old Volume, Kept"}, rows);
}

void tell_verdict(cli::Sheet& sheet, const VolumeGroupAction::Status& status, const Value& action) {
  if (status.consistency)
    sheet.entry("Consistency", fmt::format("{} ({}): {}", model::word(*status.consistency),
                                           status.consistency_reason, status.consistency_message));
  for (const Value& each : model::array_at(action, {"status", "operations"})) {
    if (text_at(each, {"name"}) != "window") continue;
    const auto millis = [&each](std::string_view member) {
      return double(model::int_at(each, {"result", member}, 0)) / 1000;
    };
    if (model::bool_at(each, {"result", "quiesced"}, false))
      sheet.entry("Window", fmt::format("quiesced for {:.1f} ms, after {:.1f} ms to acquire the "
                                        "locks; the cut took {:.1f} ms",
                                        millis("windowMicros"), millis("acquireMicros"),
                                        millis("cutMicros")));
  }
  std::vector<std::string> owed;
  for (const auto& each : status.owed)
    owed.push_back(
        fmt::format("{} in pod {}: {}", join(each.commands, ", "), each.pod, each.error));
  if (!owed.empty()) sheet.entry("Still Owed", join(owed, "\n"));
}

void describe_group(const Value& object, cli::Sheet& sheet, const cli::Beside& beside) {
  const Result<VolumeGroup> decoded = model::decode_object<VolumeGroup>(object);
  if (!decoded) return sheet.entry("Unreadable", decoded.error().what());
  const VolumeGroup& group = *decoded;
  sheet.entry("Members", members_text(group));
  sheet.entry("State", group.status.state ? model::word(*group.status.state) : "not observed yet");
  sheet.entry_if("Running", group.status.running);
  sheet.entry("Snapshot", way_text(group.spec.snapshot));
  sheet.entry("Backup", way_text(group.spec.backup));
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
  tell_verdict(sheet, status, object);
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
