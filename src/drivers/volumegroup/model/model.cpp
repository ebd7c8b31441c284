#include "model.h"

#include <holdfast/drivers/volumegroup/driver.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/kube/typed.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

constexpr sim::CutMarks kCuts{{kActionLabel, "holdfast.dev/action-of"}, kLogOf};

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
          .cuts = kCuts};
}

}  // namespace holdfast::drivers::volumegroup
