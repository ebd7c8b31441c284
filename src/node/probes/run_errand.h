/// Errands: one probe or hook, run once.
#pragma once

#include <holdfast/base/sleep.h>

#include "pods/pod.h"
#include "shim/calls.h"

#include <stop_token>

namespace holdfast::node {

/// Where the container is that an errand is about.
struct ErrandPlace {
  std::filesystem::path pod_folder;
  std::string container_id, pod_ip;
};

struct ErrandOutcome {
  bool well = false;
  std::string output{};  ///< what it printed or why it failed
};

/// Blocks. A command that does not end in time is killed.
ErrandOutcome run_errand(const ContainerDef& container, const Errand& errand,
                         const ErrandPlace& place, std::chrono::milliseconds timeout,
                         const std::stop_token& stop);

}  // namespace holdfast::node
