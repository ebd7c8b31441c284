/// The limits on strings and numbers.
#include <holdfast/base/mutex.h>

#include "json/json_text.h"
#include "structural/rules.h"
#include "structural/validate.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cmath>
#include <memory>
#include <unordered_map>

namespace holdfast::model::structural {
namespace {

/// Compiled expressions by text. CRDs are few and their patterns are used for every object, so they
/// are kept; the bound only stops someone who makes new CRDs all day.
class Patterns {
 public:
  std::shared_ptr<const re2::RE2> get(const std::string& pattern) {
    Lock lock(mutex_);
    auto& slot = compiled_[pattern];
    if (slot) return slot;
    if (compiled_.size() > kMost) compiled_.clear();
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMostMemory);
    auto made = std::make_shared<const re2::RE2>(pattern, options);
    compiled_[pattern] = made;
    return made;
  }

 private:
  static constexpr size_t kMost = 4096;
  /// Go compiles larger expressions than RE2's default lets through.
  static constexpr int64_t kMostMemory = 64 << 20;
  Mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const re2::RE2>> compiled_ HF_GUARDED_BY(mutex_);
};

std::shared_ptr<const re2::RE2> compiled(const std::string& pattern) {
  static Patterns patterns;
  return patterns.get(pattern);
}

const char* go_regexp_error(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "internal error";
  }
}

int64_t rune_count(std::string_view text) {
  int64_t count = 0;
  for (char c : text)
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++count;
  return count;
}

double as_double(const Value& value) {
  if (value.is_double()) return value.get_double();
  return value.is_int64() ? double(value.get_int64()) : double(value.get_uint64());
}

/// As Go's int64(f) on amd64: out of range becomes the smallest.
int64_t as_int64(double number) {
  if (!(number > -9.2233720368547758e18 && number < 9.2233720368547758e18)) return INT64_MIN;
  return int64_t(number);
}

bool is_multiple(const Value& value, double factor) {
  if (value.is_int64()) {
    const int64_t whole = as_int64(factor);
    return whole > 0 && value.get_int64() % whole == 0;
  }
  const double number = as_double(value);
  const double times = factor < 1 ? 1 / factor * number : number / factor;
  if (!std::isfinite(times) || std::abs(times) > 9007199254740991.0) return false;
  return std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
}

}  // namespace

std::string regexp_complaint(const std::string& pattern) {
  if (pattern.empty()) return {};
  const auto expression = compiled(pattern);
  if (expression->ok()) return {};
  return fmt::format("error parsing regexp: {}: `{}`", go_regexp_error(expression->error_code()),
                     expression->error_arg());
}

std::string go_number(double number) {
  std::string out;
  append_double(out, number, DoubleForm::Text);
  return out;
}

Outcome Validator::check_string(std::string_view text, const Limits& limits,
                                const std::string& path) const {
  Outcome out;
  const int64_t length = rune_count(text);
  if (limits.max_length && length > *limits.max_length) {
    out.add(say_.too_long(path, *limits.max_length));
  } else if (limits.min_length && length < *limits.min_length) {
    out.add(say_.invalid(path, Value(text),
                         fmt::format("should be at least {} chars long", *limits.min_length)));
  } else if (!limits.pattern.empty()) {
    const auto expression = compiled(limits.pattern);
    if (!expression->ok() || !re2::RE2::PartialMatch({text.data(), text.size()}, *expression))
      out.add(say_.invalid(path, Value(text), fmt::format("should match '{}'", limits.pattern)));
  }
  return out;
}

Outcome Validator::check_number(const Value& value, const Limits* limits,
                                const std::string& path) const {
  Outcome out;
  const bool whole = value.is_int64();
  // Integers are compared as such, with the bound cut to one.
  auto shown = [&](double bound) {
    return whole ? std::to_string(as_int64(bound)) : go_number(bound);
  };
  auto compare = [&](double bound) {
    if (whole) return (value.get_int64() > as_int64(bound)) - (value.get_int64() < as_int64(bound));
    return (as_double(value) > bound) - (as_double(value) < bound);
  };
  const Value bad = value.is_uint64() ? Value(as_double(value)) : value;
  if (limits->multiple_of && !is_multiple(value, *limits->multiple_of))
    out.add(say_.invalid(path, bad, "should be a multiple of " + shown(*limits->multiple_of)));
  if (limits->minimum) {
    const int order = compare(*limits->minimum);
    if (order < 0 || (order == 0 && limits->exclusive_minimum))
      out.add(say_.invalid(path, bad,
                           (limits->exclusive_minimum ? "should be greater than "
                                                      : "should be greater than or equal to ") +
                               shown(*limits->minimum)));
  }
  if (limits->maximum) {
    const int order = compare(*limits->maximum);
    if (order > 0 || (order == 0 && limits->exclusive_maximum))
      out.add(say_.invalid(path, bad,
                           (limits->exclusive_maximum ? "should be less than "
                                                      : "should be less than or equal to ") +
                               shown(*limits->maximum)));
  }
  ++out.matches;
  return out;
}

}  // namespace holdfast::model::structural
