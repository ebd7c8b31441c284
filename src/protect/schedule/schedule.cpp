#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include "schedule/time_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

enum Which : size_t { kMinute, kHour, kDay, kMonth, kWeekday };

struct Bounds {
  const char* name;
  unsigned least, most;
};
constexpr std::array<Bounds, 5> kBounds = {{{"minute", 0, 59},
                                            {"hour", 0, 23},
                                            {"day of month", 1, 31},
                                            {"month", 1, 12},
                                            {"day of week", 0, 6}}};
constexpr std::string_view kMonths = "jan feb mar apr may jun jul aug sep oct nov dec";
constexpr std::string_view kWeekdays = "sun mon tue wed thu fri sat";

constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};
constexpr std::string_view kEvery = "@every ";
/// No expression is longer; nobody means one that is.
constexpr size_t kLongest = 1000;
constexpr auto kSearched = std::chrono::days(5 * 366);

Error wrong(size_t which, std::string_view text, std::string_view why) {
  const Bounds& bounds = kBounds[which];
  return Error(Fault::Invalid, fmt::format("{} {}: {}", bounds.name, quoted(text), why))
      .with_hint(fmt::format("*, N, N-M, */STEP or a list of these, from {} to {}", bounds.least,
                             bounds.most));
}

/// The number that a three-letter name stands for: 4 letters a place in the list.
std::optional<unsigned> named(size_t which, std::string_view text) {
  const std::string_view names = which == kMonth     ? kMonths
                                 : which == kWeekday ? kWeekdays
                                                     : std::string_view();
  if (text.size() != 3) return std::nullopt;
  const size_t at = names.find(to_lower(text));
  if (at == std::string_view::npos || at % 4 != 0) return std::nullopt;
  return unsigned(at / 4) + kBounds[which].least;
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Span {
  unsigned first = 0, last = 0, step = 1;
  bool any = false;
};

/// One entry of a list: "*", "5", "1-5", each perhaps with "/2".
Result<Span> parse_span(size_t which, std::string_view text) {
  const Bounds& bounds = kBounds[which];
  Span out{bounds.least, bounds.most};
  const size_t slash = text.find('/');
  const std::string_view range = text.substr(0, slash);
  const size_t dash = range.find('-');
  const auto value = [which](std::string_view word) {
    const std::optional<unsigned> by_name = named(which, word);
    return by_name ? by_name : number(word);
  };
  if (range == "*" || range == "?") {
    out.any = true;
  } else {
    const std::optional<unsigned> first = value(range.substr(0, dash));
    const std::optional<unsigned> last =
        dash == std::string_view::npos ? first : value(range.substr(dash + 1));
    if (!first || !last) return wrong(which, text, "is not a value, a range or *");
    out.first = *first;
    // "5/10" is "from 5 on, every 10".
    if (dash != std::string_view::npos || slash == std::string_view::npos) out.last = *last;
  }
  if (slash != std::string_view::npos) {
    const std::optional<unsigned> step = number(text.substr(slash + 1));
    if (!step || *step == 0) return wrong(which, text, "the step is not a positive number");
    out.step = *step;
    if (out.step > 1) out.any = false;
  }
  if (out.first < bounds.least || out.last > bounds.most)
    return wrong(which, text, "is out of bounds");
  if (out.first > out.last) return wrong(which, text, "the range ends before it begins");
  return out;
}

}  // namespace

/// A time as the clock on the wall there shows it.
struct Schedule::Local {
  unsigned minute = 0, hour = 0, day = 0, month = 0, weekday = 0;
};

Result<Schedule::Field> Schedule::parse_field(size_t which, std::string_view text) {
  Field out;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) return wrong(which, text, "a value is missing");
    const Span span = HF_TRY(parse_span(which, part));
    out.any = out.any || span.any;
    // The step may be as large as a number can be.
    for (uint64_t value = span.first; value <= span.last; value += span.step)
      out.values |= uint64_t{1} << value;
  }
  return out;
}

Result<void> Schedule::parse_fields(std::string_view expression) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < expression.size();) {
    at = expression.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const size_t end = std::min(expression.find_first_of(" \t", at), expression.size());
    words.push_back(expression.substr(at, end - at));
    at = end;
  }
  if (words.size() != fields_.size())
    return Error(Fault::Invalid, fmt::format("{} fields in place of 5", words.size()))
        .with_hint("MINUTE HOUR DAY-OF-MONTH MONTH DAY-OF-WEEK: \"30 3 * * sun\"");
  for (size_t which = 0; which < words.size(); ++which)
    fields_[which] = HF_TRY(parse_field(which, words[which]));
  return {};
}

Result<Schedule> Schedule::parse(std::string_view expression, std::string_view time_zone) {
  const std::string shown = quoted(expression.substr(0, kLongest));
  const std::string doing = fmt::format("schedule {}", shown);
  Schedule out;
  out.time_zone_ = time_zone;
  const std::string_view text = trim(expression);
  if (expression.size() > kLongest)
    return Error(Fault::Invalid, fmt::format("a schedule of {} characters", expression.size()));
  if (Result<void> known = expect_time_zone(out.time_zone_); !known)
    return known.take_error().with_context(doing);
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ="))
    return Error(Fault::Invalid, doing + ": names a time zone")
        .with_hint("the time zone has a field of its own");
  if (text.starts_with(kEvery)) {
    const auto every = model::parse_duration(text.substr(kEvery.size()));
    if (!every || *every < 1s)
      return Error(Fault::Invalid, doing + ": is not a duration of a second or more")
          .with_hint("@every 1h30m");
    out.every_ = std::chrono::floor<std::chrono::seconds>(*every);
    return out;
  }
  std::string_view fields = text;
  for (const auto& [name, meaning] : kNamed)
    if (text == name) fields = meaning;
  if (fields.starts_with('@'))
    return Error(Fault::Invalid, doing + ": no such name")
        .with_hint("@yearly, @monthly, @weekly, @daily, @hourly or @every DURATION");
  if (Result<void> parsed = out.parse_fields(fields); !parsed)
    return parsed.take_error().with_context(doing);
  return out;
}

Schedule::Local Schedule::local(std::chrono::sys_seconds time) const {
  const auto shown = time + utc_offset(time_zone_, time);
  const auto midnight = std::chrono::floor<std::chrono::days>(shown);
  const std::chrono::year_month_day date(midnight);
  const auto minutes = unsigned(std::chrono::floor<std::chrono::minutes>(shown - midnight).count());
  return {minutes % 60, minutes / 60, unsigned(date.day()), unsigned(date.month()),
          std::chrono::weekday(midnight).c_encoding()};
}

bool Schedule::day_fits(const Local& at) const {
  const bool day = fields_[kDay].has(at.day), weekday = fields_[kWeekday].has(at.weekday);
  if (fields_[kDay].any || fields_[kWeekday].any) return day && weekday;
  return day || weekday;
}

std::optional<WallTime> Schedule::next(WallTime after) const {
  if (every_ > 0s) return WallTime(std::chrono::floor<std::chrono::seconds>(after) + every_);
  std::chrono::sys_seconds time = std::chrono::floor<std::chrono::minutes>(after) + 1min;
  // Steps of real time, looked at as the clock there shows it: so what a change of that clock takes
  // out is never met, and what it shows twice is met twice.
  for (const std::chrono::sys_seconds end = time + kSearched; time < end;) {
    const Local at = local(time);
    const std::chrono::minutes to_next_hour(60 - at.minute);
    if (!fields_[kMonth].has(at.month) || !day_fits(at))
      time += at.hour < 21 ? to_next_hour + std::chrono::hours(21 - at.hour) : to_next_hour;
    else if (!fields_[kHour].has(at.hour))
      time += to_next_hour;
    else if (!fields_[kMinute].has(at.minute))
      time += 1min;
    else
      return WallTime(time);
  }
  return std::nullopt;
}

}  // namespace holdfast::protect
