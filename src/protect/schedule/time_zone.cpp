#include "schedule/time_zone.h"

#include <holdfast/base/text.h>

#include <date/tz.h>
#include <fmt/format.h>

namespace holdfast::protect {
namespace {

/// Null if there is no such zone. The library throws where we return.
const date::time_zone* find_zone(const std::string& name) {
  if (name.empty() || to_lower(name) == "local") return nullptr;
  try {
    return date::locate_zone(name);
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

Result<void> expect_time_zone(const std::string& name) {
  if (name.empty() || find_zone(name) != nullptr) return {};
  return Error(Fault::Invalid, fmt::format("time zone {} is not known", quoted(name)))
      .with_hint("a name of the IANA database: Europe/Berlin, UTC");
}

std::chrono::seconds utc_offset(const std::string& name, std::chrono::sys_seconds time) {
  const date::time_zone* const zone = find_zone(name);
  return zone == nullptr ? std::chrono::seconds(0) : zone->get_info(time).offset;
}

}  // namespace holdfast::protect
