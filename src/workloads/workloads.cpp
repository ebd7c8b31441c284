#include <holdfast/base/text.h>
#include <holdfast/workloads/workloads.h>

#include "known.h"

namespace holdfast::workloads {
namespace {

struct Known {
  std::string_view name, alias;
  control::ControllerSpec (*make)();
};

constexpr Known kKnown[] = {
    {"replicaset-controller", "replicaset", replicaset_controller},
    {"statefulset-controller", "statefulset", statefulset_controller},
    {"deployment-controller", "deployment", deployment_controller},
    {"job-controller", "job", job_controller},
    {"ttl-after-finished-controller", "ttl-after-finished", ttl_after_finished_controller},
    {"endpoints-controller", "endpoint", endpoints_controller},
    {"endpointslice-controller", "endpointslice", endpointslice_controller},
};

}  // namespace

std::vector<std::string_view> known() {
  std::vector<std::string_view> out;
  for (const Known& each : kKnown) out.push_back(each.name);
  return out;
}

std::vector<control::ControllerSpec> controllers(std::string_view list) {
  std::vector<control::ControllerSpec> out;
  for (const Known& each : kKnown)
    if (switched_on(list, {each.name, each.alias})) out.push_back(each.make());
  return out;
}

}  // namespace holdfast::workloads
