/// Plan for a Driver object: its conditions. Pure.
#pragma once

#include <holdfast/control/outcome.h>
#include <holdfast/control/runtime.h>
#include <holdfast/control/subject.h>
#include <holdfast/protect/driver_record.h>

#include <optional>
#include <string>

namespace holdfast::protect {

/// An empty `object` is to be made.
struct DriverSeen : control::Subject {
  DriverRecord record{};
  bool chosen = true;                   ///< by --drivers
  std::optional<control::Part> part{};  ///< empty: not looked at yet
};

control::Outcome plan_driver(const DriverSeen& seen);

}  // namespace holdfast::protect
