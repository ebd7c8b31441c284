/// Cron schedules and names of time zones, as far as their form goes.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::apiserver::batch {

/// What is wrong with a schedule of five fields or a descriptor (`@hourly`, `@every 1h`); "" if
/// nothing.
std::string schedule_fault(std::string_view schedule);
/// Whether the IANA database has a zone of this name.
bool is_time_zone(std::string_view name);

}  // namespace holdfast::apiserver::batch
