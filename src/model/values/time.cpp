/// RFC 3339 times and Go's durations.
#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <array>
#include <limits>

namespace holdfast::model {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

struct Fields {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<microseconds> clock;
};

Fields fields_of(WallTime time) {
  const auto day = std::chrono::floor<days>(time);
  return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<microseconds>(time - day)};
}

std::string whole_seconds(const Fields& f) {
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int(f.date.year()),
                     unsigned(f.date.month()), unsigned(f.date.day()), f.clock.hours().count(),
                     f.clock.minutes().count(), f.clock.seconds().count());
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes pieces from the front; once a piece is missing, `ok` stays false.
struct Reader {
  std::string_view rest;
  bool ok = true;

  int number(size_t width, int low, int high) {
    int value = 0;
    if (rest.size() < width) return ok = false, 0;
    for (const char c : rest.substr(0, width)) {
      if (!is_digit(c)) return ok = false, 0;
      value = value * 10 + (c - '0');
    }
    rest.remove_prefix(width);
    if (value < low || value > high) ok = false;
    return value;
  }
  char one_of(std::string_view choices) {
    if (rest.empty() || choices.find(rest.front()) == std::string_view::npos)
      return ok = false, '\0';
    const char c = rest.front();
    rest.remove_prefix(1);
    return c;
  }
  /// After a point: any number of digits, at least one, cut to microseconds.
  microseconds fraction() {
    if (rest.empty() || (rest.front() != '.' && rest.front() != ',')) return {};
    rest.remove_prefix(1);
    int64_t value = 0;
    size_t width = 0;
    for (; !rest.empty() && is_digit(rest.front()); ++width, rest.remove_prefix(1))
      if (width < 6) value = value * 10 + (rest.front() - '0');
    if (width == 0) ok = false;
    for (; width < 6; ++width) value *= 10;
    return microseconds(value);
  }
  std::chrono::minutes offset() {
    const char sign = one_of("Z+-");
    if (!ok || sign == 'Z') return {};
    const int hours = number(2, 0, 24);
    one_of(":");
    const int minutes = number(2, 0, 60);
    return std::chrono::minutes((sign == '-' ? -1 : 1) * (hours * 60 + minutes));
  }
};

struct Unit {
  std::string_view name;
  int64_t nanos;
};
constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", 1000},
                                      {"\u00b5s", 1000},
                                      {"\u03bcs", 1000},
                                      {"ms", 1000000},
                                      {"s", 1000000000},
                                      {"m", 60000000000},
                                      {"h", 3600000000000}}};

/// One `1.5h` from the front of `text`, as nanoseconds.
std::optional<uint64_t> take_span(std::string_view& text) {
  size_t digits = 0;
  uint64_t whole = 0;
  const auto front_digit = [&] { return !text.empty() && is_digit(text.front()); };
  for (; front_digit(); ++digits, text.remove_prefix(1)) {
    if (whole > uint64_t(std::numeric_limits<int64_t>::max()) / 10) return std::nullopt;
    whole = whole * 10 + uint64_t(text.front() - '0');
  }
  // As Go: digits as far as they fit, then cut (not rounded) to whole nanoseconds.
  uint64_t part = 0;
  double scale = 1;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    for (; front_digit(); ++digits, text.remove_prefix(1)) {
      if (part > (uint64_t(std::numeric_limits<int64_t>::max()) - 9) / 10) continue;
      part = part * 10 + uint64_t(text.front() - '0');
      scale *= 10;
    }
  }
  if (digits == 0) return std::nullopt;
  size_t length = 0;
  while (length < text.size() && text[length] != '.' && !is_digit(text[length])) ++length;
  for (const Unit& unit : kUnits) {
    if (unit.name != text.substr(0, length)) continue;
    text.remove_prefix(length);
    const auto size = uint64_t(unit.nanos);
    if (whole > uint64_t(std::numeric_limits<int64_t>::max()) / size) return std::nullopt;
    return whole * size + uint64_t(double(part) * (double(size) / scale));
  }
  return std::nullopt;
}

/// `3m20s`, or `3m` when the second part is nothing.
std::string two(int64_t large, char large_unit, int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string to_rfc3339(WallTime time) { return whole_seconds(fields_of(time)) + "Z"; }

std::string to_rfc3339_micro(WallTime time) {
  const Fields fields = fields_of(time);
  return fmt::format("{}.{:06}Z", whole_seconds(fields), fields.clock.subseconds().count());
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  Reader in{text};
  const int year = in.number(4, 0, 9999);
  in.one_of("-");
  const int month = in.number(2, 1, 12);
  in.one_of("-");
  const int day = in.number(2, 1, 31);
  in.one_of("T");
  // Go's reader takes an hour of one digit too.
  const bool short_hour = in.rest.size() > 1 && in.rest[1] == ':';
  const int hour = in.number(short_hour ? 1 : 2, 0, 23);
  in.one_of(":");
  const int minute = in.number(2, 0, 59);
  in.one_of(":");
  const int second = in.number(2, 0, 59);
  const microseconds fraction = in.fraction();
  const auto offset = in.offset();
  const auto date = std::chrono::year(year) / month / day;
  if (!in.ok || !in.rest.empty() || !date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + seconds(hour * 3600 + minute * 60 + second) +
         fraction - offset;
}

std::optional<nanoseconds> parse_duration(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  if (text == "0") return nanoseconds(0);
  if (text.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!text.empty()) {
    const auto span = take_span(text);
    if (!span || *span > uint64_t(std::numeric_limits<int64_t>::max()) - total) return std::nullopt;
    total += *span;
  }
  return nanoseconds(negative ? -int64_t(total) : int64_t(total));
}

std::string human_duration(nanoseconds elapsed) {
  const int64_t secs = std::chrono::duration_cast<seconds>(elapsed).count();
  // Two machines' clocks may differ a little: one second into the future still counts as now.
  if (secs < -1) return "<invalid>";
  if (secs < 0) return "0s";
  if (secs < 120) return fmt::format("{}s", secs);
  const int64_t minutes = secs / 60;
  if (minutes < 10) return two(minutes, 'm', secs % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const int64_t hours = minutes / 60;
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const int64_t whole_days = hours / 24;
  if (whole_days < 8) return two(whole_days, 'd', hours % 24, 'h');
  const int64_t years = whole_days / 365;
  if (years < 2) return fmt::format("{}d", whole_days);
  if (years < 8) return two(years, 'y', whole_days % 365, 'd');
  return fmt::format("{}y", years);
}

}  // namespace holdfast::model
