/// Times as Kubernetes writes them: RFC 3339 in UTC, whole seconds (Time) or microseconds
/// (MicroTime), and durations.
#pragma once

#include <holdfast/base/clock.h>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::model {

std::string to_rfc3339(WallTime time);        ///< 2026-01-02T03:04:05Z
std::string to_rfc3339_micro(WallTime time);  ///< 2026-01-02T03:04:05.000006Z
/// Any RFC 3339 text with any offset; fractions past microseconds are cut.
std::optional<WallTime> parse_rfc3339(std::string_view text);
/// Go's duration text: "1h30m0s", "300ms"; for the other way "1.5h" and "10s" too.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);
/// The age column of kubectl: 5s, 3m20s, 4h5m, 2d, 3y10d (duration.HumanDuration).
std::string human_duration(std::chrono::nanoseconds elapsed);

}  // namespace holdfast::model
