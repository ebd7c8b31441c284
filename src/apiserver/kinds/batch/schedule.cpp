// A schedule is
//
//   minute hour day-of-month month day-of-week      0-59 0-23 1-31 1-12 0-6
//
// where a field is ranges joined by "," and a range is ("*" | "?" | number ["-" number]) ["/"
// step]; months and days have names too. The sentences are those of the parser that the real server
// uses.

#include "kinds/batch/schedule.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

namespace holdfast::apiserver::batch {

namespace {

struct Bounds {
  uint64_t low, high;
  std::vector<std::string_view> names;  ///< names[i] is low + i
};

const std::vector<Bounds>& bounds() {
  static const std::vector<Bounds> table{
      {0, 59, {}},
      {0, 23, {}},
      {1, 31, {}},
      {1, 12, {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
      {0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
  };
  return table;
}

/// A number, or what Go says of it.
struct Number {
  uint64_t value = 0;
  std::string fault;
};

Number parse_number(std::string_view text) {
  int64_t number = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range)
    return {0,
            fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: value out of range",
                        text, quoted(text))};
  if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with("+") ||
      (digits.size() != text.size() && digits.starts_with('-')))
    return {0, fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: invalid syntax",
                           text, quoted(text))};
  if (number < 0) return {0, fmt::format("negative number ({}) not allowed: {}", number, text)};
  return {static_cast<uint64_t>(number), ""};
}

Number parse_number_or_name(std::string_view text, const Bounds& limits) {
  const std::string lower = to_lower(text);
  const auto found = std::find(limits.names.begin(), limits.names.end(), lower);
  if (found != limits.names.end()) return {limits.low + uint64_t(found - limits.names.begin()), ""};
  return parse_number(text);
}

std::string range_fault(std::string_view range, const Bounds& limits) {
  const auto parts = split(range, '/');
  const auto ends = split(parts[0], '-');
  Number start{limits.low, ""};
  Number end{limits.high, ""};
  if (ends[0] != "*" && ends[0] != "?") {
    start = parse_number_or_name(ends[0], limits);
    if (!start.fault.empty()) return start.fault;
    if (ends.size() > 2) return fmt::format("too many hyphens: {}", range);
    end = ends.size() == 2 ? parse_number_or_name(ends[1], limits) : start;
    if (!end.fault.empty()) return end.fault;
  }
  uint64_t step = 1;
  if (parts.size() > 2) return fmt::format("too many slashes: {}", range);
  if (parts.size() == 2) {
    const Number every = parse_number(parts[1]);
    if (!every.fault.empty()) return every.fault;
    step = every.value;
    if (ends.size() == 1) end.value = limits.high;
  }
  if (start.value < limits.low)
    return fmt::format("beginning of range ({}) below minimum ({}): {}", start.value, limits.low,
                       range);
  if (end.value > limits.high)
    return fmt::format("end of range ({}) above maximum ({}): {}", end.value, limits.high, range);
  if (start.value > end.value)
    return fmt::format("beginning of range ({}) beyond end of range ({}): {}", start.value,
                       end.value, range);
  if (step == 0) return fmt::format("step of range should be a positive number: {}", range);
  return "";
}

std::string descriptor_fault(std::string_view descriptor) {
  for (std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})
    if (descriptor == known) return "";
  constexpr std::string_view kEvery = "@every ";
  if (!descriptor.starts_with(kEvery))
    return fmt::format("unrecognized descriptor: {}", descriptor);
  const std::string_view duration = descriptor.substr(kEvery.size());
  if (model::parse_duration(duration)) return "";
  return fmt::format("failed to parse duration {}: time: invalid duration {}", descriptor,
                     quoted(duration));
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  std::vector<std::string_view> words;
  for (size_t begin = text.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpaces, end);
  }
  return words;
}

}  // namespace

std::string schedule_fault(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t equals = schedule.find('=');
    const size_t space = std::min(schedule.find(' '), schedule.size());
    const std::string_view zone = schedule.substr(equals + 1, space - equals - 1);
    if (!zone.empty() && zone != "Local" && !is_time_zone(zone))
      return fmt::format("provided bad location {}: unknown time zone {}", zone, zone);
    schedule = trim(schedule.substr(space));
  }
  if (schedule.starts_with('@')) return descriptor_fault(schedule);
  const auto fields = words_of(schedule);
  if (fields.size() != bounds().size())
    return fmt::format("expected exactly {} fields, found {}: [{}]", bounds().size(), fields.size(),
                       fmt::join(fields, " "));
  for (size_t i = 0; i < fields.size(); ++i)
    for (std::string_view range : split(fields[i], ',')) {
      if (range.empty()) continue;
      std::string fault = range_fault(range, bounds()[i]);
      if (!fault.empty()) return fault;
    }
  return "";
}

}  // namespace holdfast::apiserver::batch
