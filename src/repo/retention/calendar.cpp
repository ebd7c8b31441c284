#include "retention/calendar.h"

#include "codec/go_json.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::repo {
namespace {

using namespace std::chrono;

local_seconds local(const NodeTime& time) {
  return local_seconds(seconds(time.seconds + time.offset_seconds));
}
local_days local_day(const NodeTime& time) { return floor<days>(local(time)); }
year_month_day date(const NodeTime& time) { return year_month_day(local_day(time)); }

}  // namespace

NodeTime time_of(const Snapshot& snapshot) {
  if (const auto time = parse_time(snapshot.time_text)) return *time;
  const int64_t count = snapshot.time.time_since_epoch().count();
  return {count / 1'000'000, int32_t(count % 1'000'000) * 1000, 0};
}

bool earlier(const NodeTime& a, const NodeTime& b) {
  return std::tie(a.seconds, a.nanoseconds) < std::tie(b.seconds, b.nanoseconds);
}

int64_t hour_of(const NodeTime& time) {
  return duration_cast<hours>(floor<hours>(local(time)).time_since_epoch()).count();
}
int64_t day_of(const NodeTime& time) { return local_day(time).time_since_epoch().count(); }
/// ISO weeks begin on Monday, and so did the week of 1970-01-05.
int64_t week_of(const NodeTime& time) {
  const int64_t since = day_of(time) - 4;
  return since >= 0 ? since / 7 : (since - 6) / 7;
}
int64_t month_of(const NodeTime& time) {
  return int64_t{int(date(time).year())} * 12 + unsigned(date(time).month());
}
int64_t year_of(const NodeTime& time) { return int(date(time).year()); }

NodeTime back_by(const NodeTime& time, const CalendarSpan& span) {
  const year_month_day then = date(time);
  const seconds in_day = local(time) - local_day(time);
  const year_month month = then.year() / then.month() - years(span.years) - months(span.months);
  const local_days first = local_days(month / 1);
  const local_seconds moved =
      first + (days(unsigned(then.day())) - days(1) - days(span.days)) + in_day - hours(span.hours);
  NodeTime out = time;
  out.seconds = moved.time_since_epoch().count() - time.offset_seconds;
  return out;
}

std::string CalendarSpan::text() const {
  std::string out;
  for (const auto& [count, unit] :
       {std::pair(years, 'y'), std::pair(months, 'm'), std::pair(days, 'd'), std::pair(hours, 'h')})
    if (count != 0) out += fmt::format("{}{}", count, unit);
  return out;
}

Result<CalendarSpan> parse_span(std::string_view text) {
  CalendarSpan span;
  std::string_view left = text;
  do {
    int count = 0;
    const auto read = std::from_chars(left.data(), left.data() + left.size(), count);
    const size_t digits = size_t(read.ptr - left.data());
    if (read.ec != std::errc() || digits == left.size() || count < 0)
      return Error(Fault::Invalid, fmt::format("\"{}\" is no span of time", text))
          .with_hint("numbers with y, m, d or h: 1y5m7d2h");
    switch (left[digits]) {
      case 'y':
        span.years = count;
        break;
      case 'm':
        span.months = count;
        break;
      case 'd':
        span.days = count;
        break;
      case 'h':
        span.hours = count;
        break;
      default:
        return Error(Fault::Invalid,
                     fmt::format("\"{}\": {} is no unit of time", text, left[digits]))
            .with_hint("y, m, d or h");
    }
    left.remove_prefix(digits + 1);
  } while (!left.empty());
  return span;
}

}  // namespace holdfast::repo
