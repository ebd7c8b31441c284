#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <ctime>

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};

Error no_value(std::string_view name, std::string_view text, std::string_view what,
               std::string hint) {
  return Error(Fault::Invalid, fmt::format("{} {}: {}", name, holdfast::quoted(text), what))
      .with_hint(std::move(hint));
}

/// A number at the beginning, taken off.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || value < 0) return {};
  text.remove_prefix(size_t(read.ptr - text.data()));
  return value;
}

}  // namespace

std::string size_text(uint64_t bytes) {
  double value = double(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.3f} {}", value, kUnits[unit]);
}

Result<uint64_t> parse_size(std::string_view name, std::string_view text) {
  constexpr std::string_view kLetters = "bkmgt";
  const auto refuse = [&] {
    return no_value(name, text, "no size", "write a number and b, k, m, g or t, like 64k or 200M");
  };
  std::string_view rest = text;
  const std::optional<double> value = take_number(rest);
  if (!value) return refuse();
  std::string unit = to_lower(rest);
  if (unit.ends_with("ib") && unit.size() == 3) unit.resize(1);
  if (unit.empty()) return uint64_t(*value);
  const size_t power = kLetters.find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return refuse();
  const double bytes = *value * double(uint64_t{1} << (10 * power));
  if (bytes >= 9e18) return refuse();
  return uint64_t(bytes);
}

std::string local_time(WallTime time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string clock_text(std::chrono::seconds time) {
  const int64_t all = time.count();
  if (all >= 3600) return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
  return fmt::format("{}:{:02}", all / 60, all % 60);
}

Result<WallTime> parse_local_time(std::string_view name, std::string_view text) {
  std::tm parts{};
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%Y-%m-%d %H:%M:%S", &parts);
  if (end == nullptr || *end != 0) {
    parts = {};
    end = strptime(copy.c_str(), "%Y-%m-%d", &parts);
  }
  if (end == nullptr || *end != 0)
    return no_value(name, text, "no time", "write 2006-01-02 or \"2006-01-02 15:04:05\"");
  parts.tm_isdst = -1;
  return WallTime(std::chrono::seconds(std::mktime(&parts)));
}

Result<std::chrono::seconds> parse_duration(std::string_view name, std::string_view text) {
  const auto refuse = [&] {
    return no_value(name, text, "no duration", "write it like 90s, 5m or 1h30m");
  };
  double seconds = 0;
  std::string_view rest = text;
  if (rest.empty()) return refuse();
  while (!rest.empty()) {
    const std::optional<double> value = take_number(rest);
    if (!value) return refuse();
    const char unit = rest.empty() ? (*value == 0 ? 's' : '?') : rest.front();
    if (!rest.empty()) rest.remove_prefix(1);
    if (unit == 'h')
      seconds += *value * 3600;
    else if (unit == 'm')
      seconds += *value * 60;
    else if (unit == 's')
      seconds += *value;
    else
      return refuse();
  }
  return std::chrono::seconds(int64_t(seconds));
}

}  // namespace holdfast::cli
