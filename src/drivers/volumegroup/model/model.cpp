#include "model.h"

#include <holdfast/base/text.h>
#include <holdfast/drivers/volumegroup/driver.h>
#include <holdfast/drivers/volumegroup/volume_group.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/kube/typed.h>

#include "invariants.h"
#include "part.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Value;
using sim::Goal;

std::optional<std::string> unsettled(const Value& object) {
  const std::string_view asked =
      model::string_at(object, {"metadata", "labels", "longhornio.volume-group-action"});
  const std::string_view running = model::string_at(object, {"status", "running"});
  const std::string_view state = model::string_at(object, {"status", "state"});
  if (asked.empty() && running.empty() && (state == "Completed" || state == "Error"))
    return std::nullopt;
  return fmt::format("asked for \"{}\", runs \"{}\", is \"{}\"", asked, running, state);
}

std::optional<std::string> not_settled(const Goal::Asked& asked) { return unsettled(asked.object); }

std::optional<std::string> not_ended(const Goal::Asked& asked) {
  const Value& object = asked.object;
  if (auto busy = unsettled(object)) return busy;
  if (model::string_at(object, {"status", "state"}) == "Completed") return std::nullopt;
  std::string_view reason, message;
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    if (model::string_at(each, {"status"}) == "False" &&
        model::string_at(each, {"type"}) != "ApplicationConsistent") {
      reason = model::string_at(each, {"reason"});
      message = model::string_at(each, {"message"});
    }
  for (const std::string_view each : split(asked.argument, '|'))
    if (each == reason && !asked.calm) return std::nullopt;
  return fmt::format("it ended for {}: {}", reason, message);
}

}  // namespace

sim::DriverModel model() {
  return {.driver = driver(),
          .followed = {kube::resource_of<VolumeGroup>(), kube::resource_of<VolumeGroupAction>()},
          .goals = {{"settled", false, not_settled}, {"ended", true, not_ended}},
          .invariants = {{"one-cut", one_cut},
                         {"volumes-kept", volumes_kept},
                         {"log-put-back", log_put_back}},
          .part = make_part};
}

}  // namespace holdfast::drivers::volumegroup
