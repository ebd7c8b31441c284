// Go's time.Parse for the two layouts of Kubernetes, with its tolerances and its complaints.
//
//   Time       2006-01-02T15:04:05Z07:00          a fraction may stand after the seconds all the
//   same MicroTime  2006-01-02T15:04:05.000000Z07:00   exactly six digits
#include <holdfast/base/text.h>

#include "typed/go_text.h"

#include <fmt/format.h>

namespace holdfast::model {

namespace {

constexpr std::string_view kTimeLayout = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicroTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

bool is_digit(std::string_view text, size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t of_era = year - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int64_t days_in(int64_t year, int64_t month) {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// One parse: eats `rest_` from the front, element by element of the layout.
class TimeParser {
 public:
  TimeParser(std::string_view text, bool micro)
      : text_(text), rest_(text), layout_(micro ? kMicroTimeLayout : kTimeLayout), micro_(micro) {}

  Result<GoTime> parse() {
    HF_TRY(year());
    HF_TRY(literal("-"));
    HF_TRY(number(month_, "01", true, 1, 12, "month"));
    HF_TRY(literal("-"));
    HF_TRY(number(day_, "02", true, 0, 99, "day"));
    HF_TRY(literal("T"));
    HF_TRY(number(hour_, "15", false, 0, 23, "hour"));
    HF_TRY(literal(":"));
    HF_TRY(number(minute_, "04", true, 0, 59, "minute"));
    HF_TRY(literal(":"));
    HF_TRY(number(second_, "05", true, 0, 59, "second"));
    HF_TRY(fraction());
    HF_TRY(zone());
    if (!rest_.empty()) return says(": extra text: " + quoted(rest_));
    if (day_ < 1 || day_ > days_in(year_, month_)) return says(": day out of range");
    int64_t seconds =
        days_from_civil(year_, month_, day_) * 86400 + hour_ * 3600 + minute_ * 60 + second_;
    return GoTime{seconds - offset_, nanos_};
  }

 private:
  Error says(const std::string& complaint) const {
    return Error(Fault::Invalid, fmt::format("parsing time {}{}", quoted(text_), complaint));
  }
  Error cannot_parse(std::string_view rest, std::string_view element) const {
    return says(fmt::format(" as {}: cannot parse {} as {}", quoted(layout_), quoted(rest),
                            quoted(element)));
  }

  Result<void> literal(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return cannot_parse(rest_, wanted);
    rest_.remove_prefix(wanted.size());
    return ok();
  }

  Result<void> year() {
    for (size_t i = 0; i < 4; ++i) {
      if (!is_digit(rest_, i)) return cannot_parse(rest_, "2006");
      year_ = year_ * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(4);
    return ok();
  }

  Result<void> number(int64_t& out, std::string_view element, bool fixed, int64_t low, int64_t high,
                      std::string_view name) {
    if (!is_digit(rest_, 0) || (fixed && !is_digit(rest_, 1))) return cannot_parse(rest_, element);
    size_t width = is_digit(rest_, 1) ? 2 : 1;
    for (size_t i = 0; i < width; ++i) out = out * 10 + (rest_[i] - '0');
    rest_.remove_prefix(width);
    if (out < low || out > high) return says(fmt::format(": {} out of range", name));
    return ok();
  }

  Result<void> fraction() {
    bool starts = !rest_.empty() && (rest_[0] == '.' || rest_[0] == ',');
    if (!micro_ && (!starts || !is_digit(rest_, 1))) return ok();
    size_t end = 1;
    while (is_digit(rest_, end) && (!micro_ || end < 7)) ++end;
    if (micro_ && (!starts || end != 7)) return cannot_parse(rest_, ".000000");
    for (size_t i = 1; i <= 9; ++i) nanos_ = nanos_ * 10 + (i < end ? rest_[i] - '0' : 0);
    rest_.remove_prefix(end);
    return ok();
  }

  Result<void> zone() {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return ok();
    }
    for (size_t i : {1u, 2u, 4u, 5u})
      if (!is_digit(rest_, i)) return cannot_parse(rest_, "Z07:00");
    if (rest_[3] != ':' || (rest_[0] != '+' && rest_[0] != '-'))
      return cannot_parse(rest_, "Z07:00");
    int64_t hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    int64_t minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    if (hours > 24) return says(": time zone offset hour out of range");
    if (minutes > 60) return says(": time zone offset minute out of range");
    offset_ = (hours * 60 + minutes) * 60 * (rest_[0] == '-' ? -1 : 1);
    rest_.remove_prefix(6);
    return ok();
  }

  std::string_view text_, rest_, layout_;
  bool micro_;
  int64_t year_ = 0, month_ = 0, day_ = 0, hour_ = 0, minute_ = 0, second_ = 0, offset_ = 0;
  int32_t nanos_ = 0;
};

}  // namespace

Result<GoTime> go_time(std::string_view text, bool micro) {
  return TimeParser(text, micro).parse();
}

std::string go_time_text(const GoTime& time, bool micro) {
  int64_t days = time.seconds / 86400 - (time.seconds % 86400 < 0 ? 1 : 0);
  const int64_t of_day = time.seconds - days * 86400;
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t of_era = days - era * 146097;
  const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * of_year + 2) / 153;
  const int64_t day = of_year - (153 * shifted + 2) / 5 + 1;
  const int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", year, month, day,
                                 of_day / 3600, of_day / 60 % 60, of_day % 60);
  if (micro) text += fmt::format(".{:06}", time.nanos / 1000);
  return text + "Z";
}

}  // namespace holdfast::model
