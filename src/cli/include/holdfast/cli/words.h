/// Sizes, times and durations as people write and read them.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

/// "2.861 MiB"
std::string size_text(uint64_t bytes);
/// "64k", "1.5G", "200M", "512": powers of 1024. `name` is the flag, for the message.
Result<uint64_t> parse_size(std::string_view name, std::string_view text);

/// "2026-11-15 18:21:31" in the zone of this machine.
std::string local_time(WallTime time);
/// "1:05:09" or "0:07".
std::string clock_text(std::chrono::seconds time);
/// "now", "2006-01-02", "2006-01-02 15:04:05" of this machine's zone.
Result<WallTime> parse_local_time(std::string_view name, std::string_view text);

/// As Go writes them: "5m", "1h30m", "90s".
Result<std::chrono::seconds> parse_duration(std::string_view name, std::string_view text);

}  // namespace holdfast::cli
