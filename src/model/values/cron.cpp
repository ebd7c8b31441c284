#include <holdfast/base/text.h>
#include <holdfast/model/cron.h>
#include <holdfast/model/time.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace holdfast::model {
namespace {

using Kind = CronFault::Kind;

constexpr std::string_view kMonths = "jan feb mar apr may jun jul aug sep oct nov dec";
constexpr std::string_view kWeekdays = "sun mon tue wed thu fri sat";

constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};
constexpr std::string_view kEvery = "@every ";

/// The number that a three-letter name stands for: 4 letters a place in the list.
std::optional<uint64_t> named(size_t which, std::string_view text) {
  const std::string_view names = which == kCronMonth     ? kMonths
                                 : which == kCronWeekday ? kWeekdays
                                                         : std::string_view();
  if (text.size() != 3) return std::nullopt;
  const size_t at = names.find(to_lower(text));
  if (at == std::string_view::npos || at % 4 != 0) return std::nullopt;
  return at / 4 + kCronBounds[which].least;
}

/// Entries of one field, read in the order in which the real server looks, so that of two faults
/// the same one is told.
class FieldReader {
 public:
  FieldReader(size_t which, Cron& out) : which_(which), out_(out) {}

  std::optional<CronFault> read(std::string_view text) {
    for (const std::string_view entry : split(text, ',')) {
      entry_ = entry;
      if (entry.empty()) {
        CronFault gap = fault(Kind::Gap);
        gap.entry = text;
        odd(gap);
      } else if (const std::optional<CronFault> wrong = read_entry()) {
        return wrong;
      }
    }
    return std::nullopt;
  }

 private:
  CronFault fault(Kind kind, std::string_view word = {}) const {
    return {.kind = kind, .field = which_, .entry = entry_, .word = word};
  }
  void odd(const CronFault& what) {
    if (!out_.oddity) out_.oddity = what;
  }
  std::optional<CronFault> read_entry();
  std::optional<CronFault> read_range(const std::vector<std::string_view>& ends);
  std::optional<CronFault> read_number(std::string_view text, uint64_t& into);
  std::optional<CronFault> read_value(std::string_view text, uint64_t& into);

  size_t which_;
  Cron& out_;
  std::string_view entry_{};
  uint64_t first_ = 0, last_ = 0;
  bool any_ = false;
};

/// As Go's Atoi: one sign may stand before the digits.
std::optional<CronFault> FieldReader::read_number(std::string_view text, uint64_t& into) {
  int64_t number = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const bool signed_twice = digits.size() != text.size() && digits.starts_with('-');
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range) return fault(Kind::TooLarge, text);
  if (error != std::errc() || end != digits.data() + digits.size() || signed_twice)
    return fault(Kind::Number, text);
  if (number < 0) {
    CronFault negative = fault(Kind::Negative, text);
    negative.number = number;
    return negative;
  }
  if (digits.size() != text.size()) odd(fault(Kind::Plus, text));
  into = uint64_t(number);
  return std::nullopt;
}

std::optional<CronFault> FieldReader::read_value(std::string_view text, uint64_t& into) {
  const std::optional<uint64_t> by_name = named(which_, text);
  if (!by_name) return read_number(text, into);
  into = *by_name;
  return std::nullopt;
}

/// "*", "5", "1-5".
std::optional<CronFault> FieldReader::read_range(const std::vector<std::string_view>& ends) {
  first_ = kCronBounds[which_].least;
  last_ = kCronBounds[which_].most;
  any_ = ends[0] == "*" || ends[0] == "?";
  if (any_) {
    if (ends.size() > 1) odd(fault(Kind::StarEnd));
    return std::nullopt;
  }
  if (const auto wrong = read_value(ends[0], first_)) return wrong;
  if (ends.size() > 2) return fault(Kind::Hyphens);
  last_ = first_;
  return ends.size() == 2 ? read_value(ends[1], last_) : std::nullopt;
}

/// A range, perhaps with "/2".
std::optional<CronFault> FieldReader::read_entry() {
  const CronBounds& bounds = kCronBounds[which_];
  const auto parts = split(entry_, '/');
  const auto ends = split(parts[0], '-');
  if (const auto wrong = read_range(ends)) return wrong;
  uint64_t step = 1;
  if (parts.size() > 2) return fault(Kind::Slashes);
  if (parts.size() == 2) {
    if (auto wrong = read_number(parts[1], step)) {
      wrong->in_step = true;
      return wrong;
    }
    // "5/10" is "from 5 on, every 10".
    if (ends.size() == 1) last_ = bounds.most;
  }
  const auto range_fault = [this](Kind kind) {
    CronFault out = fault(kind);
    out.first = first_;
    out.last = last_;
    return out;
  };
  if (first_ < bounds.least) return range_fault(Kind::BelowLeast);
  if (last_ > bounds.most) return range_fault(Kind::AboveMost);
  if (first_ > last_) return range_fault(Kind::Backwards);
  if (step == 0) return fault(Kind::ZeroStep);
  CronField& field = out_.fields[which_];
  field.any = field.any || (any_ && step == 1);
  // The step may be as large as a number can be.
  for (uint64_t value = first_; value <= last_; value += step) field.values |= uint64_t{1} << value;
  return std::nullopt;
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

std::variant<Cron, CronFault> parse_fields(std::string_view text) {
  Cron out;
  auto words = words_of(text);
  if (words.size() != out.fields.size())
    return CronFault{.kind = Kind::FieldCount, .words = std::move(words)};
  for (size_t which = 0; which < words.size(); ++which)
    if (const auto wrong = FieldReader(which, out).read(words[which])) return *wrong;
  return out;
}

}  // namespace

std::variant<Cron, CronFault> parse_cron(std::string_view text) {
  if (!text.starts_with('@')) return parse_fields(text);
  for (const auto& [name, meaning] : kNamed)
    if (text == name) return parse_fields(meaning);
  if (!text.starts_with(kEvery)) return CronFault{.kind = Kind::Descriptor};
  const std::string_view duration = text.substr(kEvery.size());
  Cron out;
  out.every = parse_duration(duration);
  if (!out.every) return CronFault{.kind = Kind::Duration, .word = duration};
  return out;
}

}  // namespace holdfast::model
