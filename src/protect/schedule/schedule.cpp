#include <holdfast/base/text.h>
#include <holdfast/protect/schedule.h>

#include "schedule/time_zone.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

/// No expression is longer; nobody means one that is.
constexpr size_t kLongest = 1000;
constexpr auto kSearched = std::chrono::days(5 * 366);

std::string_view words_for(const model::CronFault& fault) {
  using Kind = model::CronFault::Kind;
  if (fault.in_step) return "the step is not a positive number";
  switch (fault.kind) {
    case Kind::Slashes:
    case Kind::ZeroStep:
      return "the step is not a positive number";
    case Kind::BelowLeast:
    case Kind::AboveMost:
      return "is out of bounds";
    case Kind::Backwards:
      return "the range ends before it begins";
    case Kind::Gap:
      return "a value is missing";
    default:
      return "is not a value, a range or *";
  }
}

Error wrong(const model::CronFault& fault) {
  using Kind = model::CronFault::Kind;
  switch (fault.kind) {
    case Kind::FieldCount:
      return Error(Fault::Invalid, fmt::format("{} fields in place of 5", fault.words.size()))
          .with_hint("MINUTE HOUR DAY-OF-MONTH MONTH DAY-OF-WEEK: \"30 3 * * sun\"");
    case Kind::Descriptor:
      return Error(Fault::Invalid, "no such name")
          .with_hint("@yearly, @monthly, @weekly, @daily, @hourly or @every DURATION");
    case Kind::Duration:
      return Error(Fault::Invalid, "is not a duration of a second or more")
          .with_hint("@every 1h30m");
    default:
      break;
  }
  const model::CronBounds& bounds = model::kCronBounds[fault.field];
  return Error(Fault::Invalid,
               fmt::format("{} {}: {}", bounds.name, quoted(fault.entry), words_for(fault)))
      .with_hint(fmt::format("*, N, N-M, */STEP or a list of these, from {} to {}", bounds.least,
                             bounds.most));
}

/// Stricter than Kubernetes where that takes what nobody means.
Result<model::Cron> parse_strictly(std::string_view text) {
  using Kind = model::CronFault::Kind;
  const auto parsed = model::parse_cron(text);
  if (const auto* fault = std::get_if<model::CronFault>(&parsed)) return wrong(*fault);
  const auto& cron = std::get<model::Cron>(parsed);
  if (cron.oddity) return wrong(*cron.oddity);
  if (cron.every && *cron.every < 1s) return wrong({.kind = Kind::Duration});
  return cron;
}

}  // namespace

/// A time as the clock on the wall there shows it.
struct Schedule::Local {
  unsigned minute = 0, hour = 0, day = 0, month = 0, weekday = 0;
};

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
  Result<model::Cron> cron = parse_strictly(text);
  if (!cron) return cron.take_error().with_context(doing);
  out.fields_ = cron->fields;
  if (cron->every) out.every_ = std::chrono::floor<std::chrono::seconds>(*cron->every);
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
  const bool day = fields_[model::kCronDay].has(at.day),
             weekday = fields_[model::kCronWeekday].has(at.weekday);
  if (fields_[model::kCronDay].any || fields_[model::kCronWeekday].any) return day && weekday;
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
    if (!fields_[model::kCronMonth].has(at.month) || !day_fits(at))
      time += at.hour < 21 ? to_next_hour + std::chrono::hours(21 - at.hour) : to_next_hour;
    else if (!fields_[model::kCronHour].has(at.hour))
      time += to_next_hour;
    else if (!fields_[model::kCronMinute].has(at.minute))
      time += 1min;
    else
      return WallTime(time);
  }
  return std::nullopt;
}

}  // namespace holdfast::protect
