/// Offsets of time zones by the machine's IANA database.
#pragma once

#include <holdfast/base/result.h>

#include <chrono>
#include <string>

namespace holdfast::protect {

/// Invalid if there is no such zone. "Local" is none: it means something else on each machine.
Result<void> expect_time_zone(const std::string& name);
/// East of UTC, at that time; 0 for "".
std::chrono::seconds utc_offset(const std::string& name, std::chrono::sys_seconds time);

}  // namespace holdfast::protect
