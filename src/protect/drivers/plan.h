/// Plan for a Driver object: its conditions. Pure.
#pragma once

#include <holdfast/control/outcome.h>
#include <holdfast/control/runtime.h>
#include <holdfast/protect/driver_record.h>

#include <optional>
#include <string>

namespace holdfast::protect {

struct DriverSeen {
  std::string name{};
  kube::Cached object{};  ///< empty: it is to be made
  DriverRecord record{};
  bool chosen = true;                   ///< by --drivers
  std::optional<control::Part> part{};  ///< empty: not looked at yet
  WallTime now{};
};

control::Outcome plan_driver(const DriverSeen& seen);

}  // namespace holdfast::protect
