#include "model.h"

#include <holdfast/drivers/volumegroup/driver.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/kube/typed.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::drivers::volumegroup {
namespace {

/// Of an action whose revert or restore is good.
std::vector<sim::CutMarks::Restored> restored(const model::Value& object) {
  if (model::string_at(object, {"kind"}) != VolumeGroupAction::kKind.kind) return {};
  const auto action = model::decode_object<VolumeGroupAction>(object);
  if (!action || !action->status.inputs || !action->status.restored) return {};
  const auto& conditions = action->status.conditions;
  if (std::none_of(conditions.begin(), conditions.end(), [](const model::Condition& each) {
        return each.type == "Restored" && each.status == "True";
      }))
    return {};
  std::vector<sim::CutMarks::Restored> out;
  // Logs stand after the claims, and have none of their own.
  const auto& resources = action->status.restored->references.resources;
  for (size_t i = 0; i < resources.size(); ++i) {
    const ClaimRecord& claim = action->status.inputs->claims[i];
    out.push_back({{resources[i].ns, resources[i].name}, {claim.ns, claim.name}});
  }
  return out;
}

/// Of an action whose backup is good.
std::vector<sim::CutMarks::Saved> saved(const model::Value& object) {
  if (model::string_at(object, {"kind"}) != VolumeGroupAction::kKind.kind) return {};
  const auto action = model::decode_object<VolumeGroupAction>(object);
  if (!action || !action->status.inputs || action->spec.source) return {};
  const auto& conditions = action->status.conditions;
  if (std::none_of(conditions.begin(), conditions.end(), [](const model::Condition& each) {
        return each.type == "Completed" && each.reason == "BackedUp";
      }))
    return {};
  std::vector<sim::CutMarks::Saved> out;
  for (const ClaimRecord& claim : action->status.inputs->claims)
    if (!claim.log && !claim.snapshot_id.empty())
      out.push_back({{claim.ns, claim.name}, claim.snapshot_id});
  return out;
}

constexpr sim::CutMarks kCuts{{kActionLabel, "holdfast.dev/action-of"}, kLogOf, restored, saved};

/// Who may write where the claims are must not find the run's data moves there.
std::optional<std::string> moves_elsewhere(const sim::History& history, const sim::Commit& commit) {
  if (history.resources()[commit.resource].plural != "datamoves" ||
      commit.kind != sim::Commit::Kind::Created)
    return std::nullopt;
  const std::string_view of =
      model::string_at(*commit.object, {"metadata", "annotations", "holdfast.dev/action-of"});
  const std::string_view ns = of.substr(0, of.find('/'));
  if (of.empty() || ns == commit.key.ns) return std::nullopt;
  return fmt::format("{} was made for {}", commit.key.text(), of);
}

/// What is asked of a group or an action by label, and what of it runs.
std::optional<std::string> busy(const model::Value& object) {
  const std::string_view asked = model::string_at(object, {"metadata", "labels", kTrigger});
  const std::string_view running = model::string_at(object, {"status", "running"});
  const std::string_view state = model::string_at(object, {"status", "state"});
  if (asked.empty() && running.empty() && (state == "Completed" || state == "Error"))
    return std::nullopt;
  return fmt::format("asked for \"{}\", runs \"{}\", is \"{}\"", asked, running, state);
}

}  // namespace

sim::DriverModel model() {
  return {.driver = driver(),
          .followed = {kube::resource_of<VolumeGroup>(), kube::resource_of<VolumeGroupAction>()},
          .goals = sim::goals_of_runs(busy),
          .invariants = {{"moves-with-their-action", moves_elsewhere}},
          .cuts = kCuts};
}

}  // namespace holdfast::drivers::volumegroup
