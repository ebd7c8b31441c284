/// Quantities as exact counts of nanos.
///
///   text = [+-] digits [. digits] suffix        suffix = n u m "" k M G T P E | Ki Mi Gi Ti Pi Ei
///   | e3 E-3
///
/// What is finer than a nano is rounded away from zero. Binary amounts stop at 2⁶³-1. Go keeps the
/// text that it read when that looks canonical to it, quirks included ("1.500", "+1", "007"), and
/// prints it again; so do we.
#include <holdfast/model/quantity.h>

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace holdfast::model {
namespace {

__extension__ typedef __int128 Wide;
using Format = Quantity::Format;

constexpr Wide kNanosPerUnit = 1000000000;
constexpr Wide kMaxWide = (Wide(1) << 126) - 1 + (Wide(1) << 126);
/// Digits that Go's fast path takes for decimal and for binary numbers.
constexpr int kFastDecimal = 18;
constexpr int kFastBinary = 15;

struct Suffix {
  std::string_view name;
  int exponent;
};
constexpr Suffix kDecimal[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0},   {"k", 3},
                               {"M", 6},  {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18}};
constexpr Suffix kBinary[] = {{"Ki", 10}, {"Mi", 20}, {"Gi", 30},
                              {"Ti", 40}, {"Pi", 50}, {"Ei", 60}};

Error bad_format() {
  return Error(Fault::Invalid,
               "quantities must match the regular expression "
               "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
Error bad_number() { return Error(Fault::Invalid, "unable to parse numeric part of quantity"); }
Error bad_suffix() { return Error(Fault::Invalid, "unable to parse quantity's suffix"); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text taken apart; nothing is converted yet.
struct Parts {
  bool negative = false;
  std::string whole;     ///< without leading zeros, "0" if nothing is left
  std::string fraction;  ///< digits after the point
  std::string_view suffix;
};

std::string_view take_while(std::string_view& text, bool (*wanted)(char)) {
  size_t length = 0;
  while (length < text.size() && wanted(text[length])) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

bool take_apart(std::string_view text, Parts& parts) {
  parts.negative = text.starts_with('-');
  if (parts.negative || text.starts_with('+')) text.remove_prefix(1);
  take_while(text, [](char c) { return c == '0'; });
  parts.whole = take_while(text, is_digit);
  if (parts.whole.empty()) parts.whole = "0";
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_while(text, is_digit);
  }
  parts.suffix = text;
  take_while(text, [](char c) {
    return std::string_view("eEinumkKMGTP").find(c) != std::string_view::npos;
  });
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  take_while(text, is_digit);
  return text.empty();
}

bool interpret(std::string_view suffix, Format& format, int& exponent) {
  for (const Suffix& known : kDecimal)
    if (known.name == suffix) return format = Format::DecimalSI, exponent = known.exponent, true;
  for (const Suffix& known : kBinary)
    if (known.name == suffix) return format = Format::BinarySI, exponent = known.exponent, true;
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
  suffix.remove_prefix(1);
  if (suffix.starts_with('+')) suffix.remove_prefix(1);
  format = Format::DecimalExponent;
  const char* const end = suffix.data() + suffix.size();
  const auto [last, ec] = std::from_chars(suffix.data(), end, exponent);
  if (last != end || suffix.empty()) return false;
  // Past what an int holds every non-zero amount is too large or rounds to one nano anyway.
  if (ec == std::errc::result_out_of_range) exponent = suffix[0] == '-' ? -1000000 : 1000000;
  return ec == std::errc{} || ec == std::errc::result_out_of_range;
}

/// value = value × 10 + digit; false on overflow.
bool shift_in(Wide& value, int digit) {
  if (value > (kMaxWide - digit) / 10) return false;
  value = value * 10 + digit;
  return true;
}

/// digits × 10^exponent in nanos, rounded up; false on overflow.
bool decimal_nanos(const std::string& digits, int exponent, Wide& out) {
  out = 0;
  const int64_t kept =
      std::min<int64_t>(int64_t(digits.size()) + exponent + 9, int64_t(digits.size()));
  bool rest = false;
  for (int64_t i = 0; i < int64_t(digits.size()); ++i) {
    const int digit = digits[size_t(i)] - '0';
    if (i >= kept)
      rest = rest || digit != 0;
    else if (!shift_in(out, digit))
      return false;
  }
  for (int64_t i = exponent + 9; i > 0 && out != 0; --i)
    if (!shift_in(out, 0)) return false;
  if (rest) ++out;
  return true;
}

/// (whole + 0.fraction) × 2^exponent in nanos, rounded up, at most 2⁶³-1 units.
Wide binary_nanos(const Parts& parts, int exponent) {
  constexpr size_t kMost = 18;
  constexpr Wide kCap = Wide(std::numeric_limits<int64_t>::max());
  Wide units = 0;
  for (const char c : parts.whole)
    if (units <= kCap) units = units * 10 + (c - '0');
  if (units > kCap || units << exponent > kCap) return kCap * kNanosPerUnit;
  Wide part = 0;
  for (const char c : parts.fraction.substr(0, kMost)) part = part * 10 + (c - '0');
  bool rest = parts.fraction.find_first_not_of('0', kMost) != std::string::npos;
  part <<= exponent;
  for (size_t i = parts.fraction.size(); i < 9; ++i) part *= 10;
  for (size_t i = 9; i < std::min(parts.fraction.size(), kMost); ++i) {
    rest = rest || part % 10 != 0;
    part /= 10;
  }
  const Wide nanos = (units << exponent) * kNanosPerUnit + part + (rest ? 1 : 0);
  return std::min(nanos, kCap * kNanosPerUnit);
}

/// Whether Go takes its fast path and finds nothing there to make canonical.
bool keeps_text(const Parts& parts, Format format, int exponent) {
  const std::string digits = parts.whole + parts.fraction;
  if (format == Format::BinarySI) {
    const int spare = kFastBinary - int(digits.size()) - int(float(exponent) * 3 / 10) - 1;
    if (!parts.fraction.empty() || spare < 0) return false;
    int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return (value & 7) != 0;
  }
  const int scale = exponent - int(parts.fraction.size());
  return digits.size() <= size_t(kFastDecimal) && scale >= -9 && scale % 3 == 0 &&
         !digits.ends_with("000") && digits[0] != '0';
}

std::string print(Wide value) {
  if (value == 0) return "0";
  std::string out;
  const bool negative = value < 0;
  for (; value != 0; value /= 10) {
    const int digit = int(value % 10);
    out.insert(out.begin(), char('0' + (digit < 0 ? -digit : digit)));
  }
  return negative ? "-" + out : out;
}

std::string print_binary(Wide units) {
  size_t times = 0;
  while (units % 1024 == 0 && times < std::size(kBinary)) {
    units /= 1024;
    ++times;
  }
  return print(units).append(times == 0 ? "" : kBinary[times - 1].name);
}

std::string print_decimal(Wide nanos, Format format) {
  int exponent = -9;
  // Steps of three, so that the exponent has a suffix; the mantissa keeps up to two zeros.
  while (nanos % 1000 == 0) {
    nanos /= 1000;
    exponent += 3;
  }
  if (format == Format::DecimalSI)
    for (const Suffix& known : kDecimal)
      if (known.exponent == exponent) return print(nanos).append(known.name);
  return exponent == 0 ? print(nanos) : print(nanos) + "e" + std::to_string(exponent);
}

int64_t away_from_zero(Wide value, Wide unit) {
  Wide whole = value / unit;
  if (value % unit != 0) whole += value > 0 ? 1 : -1;
  if (whole > std::numeric_limits<int64_t>::max()) return std::numeric_limits<int64_t>::max();
  if (whole < std::numeric_limits<int64_t>::min()) return std::numeric_limits<int64_t>::min();
  return int64_t(whole);
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  Parts parts;
  if (text.empty() || !take_apart(text, parts)) return bad_format();
  Quantity out;
  int exponent = 0;
  if (!interpret(parts.suffix, out.format_, exponent)) return bad_suffix();
  if (out.format_ == Format::BinarySI)
    out.nanos_ = binary_nanos(parts, exponent);
  else if (!decimal_nanos(parts.whole + parts.fraction, exponent - int(parts.fraction.size()),
                          out.nanos_))
    return bad_number();
  if (out.nanos_ != 0 && keeps_text(parts, out.format_, exponent)) out.given_ = text;
  if (out.format_ == Format::BinarySI && out.nanos_ > 0 && out.nanos_ < kNanosPerUnit)
    out.format_ = Format::DecimalSI;
  if (parts.negative) out.nanos_ = -out.nanos_;
  return out;
}

std::string Quantity::text() const {
  if (!given_.empty()) return given_;
  if (nanos_ == 0) return "0";
  const bool small = nanos_ > -1024 * kNanosPerUnit && nanos_ < 1024 * kNanosPerUnit;
  if (format_ != Format::BinarySI) return print_decimal(nanos_, format_);
  if (small || nanos_ % kNanosPerUnit != 0) return print_decimal(nanos_, Format::DecimalSI);
  return print_binary(nanos_ / kNanosPerUnit);
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (nanos_ == other.nanos_) return std::strong_ordering::equal;
  return nanos_ < other.nanos_ ? std::strong_ordering::less : std::strong_ordering::greater;
}

int64_t Quantity::value() const { return away_from_zero(nanos_, kNanosPerUnit); }

int64_t Quantity::milli_value() const { return away_from_zero(nanos_, kNanosPerUnit / 1000); }

bool Quantity::negative() const { return nanos_ < 0; }

Quantity Quantity::operator+(const Quantity& other) const {
  Quantity out;
  out.format_ = nanos_ == 0 ? other.format_ : format_;
  const bool over = other.nanos_ > 0 && nanos_ > kMaxWide - other.nanos_;
  const bool under = other.nanos_ < 0 && nanos_ < -kMaxWide - other.nanos_;
  out.nanos_ = over ? kMaxWide : under ? -kMaxWide : nanos_ + other.nanos_;
  return out;
}

}  // namespace holdfast::model
