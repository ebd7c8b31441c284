#include "codec/go_json.h"

#include <holdfast/base/utf8.h>

#include "codec/utf8.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

namespace holdfast::repo {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_u(std::string& out, uint32_t code) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[code >> shift & 0xf];
}

/// A byte that JSON or HTML has a meaning for; true if it was written.
bool append_special(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += char(c);
      return true;
    case '\b':
      out += "\\b";
      return true;
    case '\f':
      out += "\\f";
      return true;
    case '\n':
      out += "\\n";
      return true;
    case '\r':
      out += "\\r";
      return true;
    case '\t':
      out += "\\t";
      return true;
    default:
      break;
  }
  if (c >= 0x20 && c != '<' && c != '>' && c != '&') return false;
  append_u(out, c);
  return true;
}

bool append_escape(std::string& out, unsigned char c) {
  static constexpr std::string_view kLetters = "abfnrtv";
  static constexpr std::string_view kMeant = "\a\b\f\n\r\t\v";
  if (const size_t at = kMeant.find(char(c)); at != std::string_view::npos) {
    out += '\\';
    out += kLetters[at];
    return true;
  }
  if (c != '"' && c != '\\') return false;
  out += '\\';
  out += char(c);
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// `count` digits of base 8 or 16 at `at`; moves past them.
std::optional<uint32_t> read_number(std::string_view text, size_t& at, int count, uint32_t base) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i, ++at) {
    const int digit = at < text.size() ? hex_digit(text[at]) : -1;
    if (digit < 0 || uint32_t(digit) >= base) return {};
    value = value * base + uint32_t(digit);
  }
  return value;
}

bool unescape(std::string_view text, size_t& at, std::string& out) {
  static constexpr std::string_view kLetters = "abfnrtv\\\"'";
  static constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\\"'";
  const char c = text[at++];
  if (const size_t found = kLetters.find(c); found != std::string_view::npos) {
    out += kMeant[found];
    return true;
  }
  std::optional<uint32_t> value;
  if (c == 'x') {
    value = read_number(text, at, 2, 16);
    if (value) out += char(*value);
  } else if (c == 'u' || c == 'U') {
    value = read_number(text, at, c == 'u' ? 4 : 8, 16);
    if (value && *value > 0x10ffff) return false;
    if (value) append_utf8(out, *value);
  } else if (c >= '0' && c <= '7') {
    --at;
    value = read_number(text, at, 3, 8);
    if (value && *value > 255) return false;
    if (value) out += char(*value);
  }
  return value.has_value();
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x80) {
      if (!append_special(out, c)) out += char(c);
      ++at;
      continue;
    }
    const Rune rune = decode_utf8(text.substr(at));
    if (!rune.valid)
      out += "\\ufffd";
    else if (rune.code == 0x2028 || rune.code == 0x2029)
      append_u(out, rune.code);
    else
      out += text.substr(at, rune.size);
    at += rune.size;
  }
  out += '"';
}

std::string go_quoted(std::string_view raw) {
  std::string out;
  for (size_t at = 0; at < raw.size();) {
    const Rune rune = decode_utf8(raw.substr(at));
    const auto c = static_cast<unsigned char>(raw[at]);
    if (!rune.valid) {
      out += "\\x";
      out += kHex[c >> 4];
      out += kHex[c & 0xf];
    } else if (rune.size == 1 && append_escape(out, c)) {
    } else if (is_printable(rune.code)) {
      out += raw.substr(at, rune.size);
    } else if (rune.code < ' ' || rune.code == 0x7f) {
      out += "\\x";
      out += kHex[rune.code >> 4];
      out += kHex[rune.code & 0xf];
    } else if (rune.code < 0x10000) {
      append_u(out, rune.code);
    } else {
      out += fmt::format("\\U{:08x}", rune.code);
    }
    at += rune.size;
  }
  return out;
}

std::optional<std::string> go_unquoted(std::string_view quoted) {
  std::string out;
  for (size_t at = 0; at < quoted.size();) {
    const char c = quoted[at++];
    if (c == '"' || c == '\n') return {};
    if (c != '\\')
      out += c;
    else if (at == quoted.size() || !unescape(quoted, at, out))
      return {};
  }
  return out;
}

void append_time(std::string& out, const NodeTime& time) {
  using namespace std::chrono;
  const sys_seconds local{seconds(time.seconds + time.offset_seconds)};
  const auto day = floor<days>(local);
  const year_month_day date{day};
  const hh_mm_ss clock{local - day};
  out += fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
  if (time.nanoseconds != 0) {
    std::string digits = fmt::format(".{:09}", time.nanoseconds);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += digits;
  }
  if (time.offset_seconds == 0) {
    out += 'Z';
    return;
  }
  const int minutes = std::abs(time.offset_seconds) / 60;
  out +=
      fmt::format("{}{:02}:{:02}", time.offset_seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string time_text(WallTime time) {
  const int64_t count = time.time_since_epoch().count();
  const int64_t seconds = count / 1'000'000 - (count % 1'000'000 < 0 ? 1 : 0);
  std::string out;
  append_time(out, {seconds, int32_t(count - seconds * 1'000'000) * 1000, 0});
  return out;
}

WallTime wall_time(const NodeTime& time) {
  return WallTime(std::chrono::microseconds(time.seconds * 1'000'000 + time.nanoseconds / 1000));
}

std::optional<NodeTime> parse_time(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const auto number = [&text](size_t at, size_t count, int& out) {
    if (at + count > text.size()) return false;
    const auto read = std::from_chars(text.data() + at, text.data() + at + count, out);
    return read.ec == std::errc() && read.ptr == text.data() + at + count;
  };
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || !number(0, 4, year) || !number(5, 2, month) || !number(8, 2, day) ||
      !number(11, 2, hour) || !number(14, 2, minute) || !number(17, 2, second))
    return {};
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                            std::chrono::day(unsigned(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return {};
  NodeTime out;
  size_t at = 19;
  if (text[at] == '.') {
    int64_t scale = 100'000'000;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, scale /= 10)
      out.nanoseconds += int32_t((text[at] - '0') * scale);
  }
  if (at == text.size()) return {};
  if (text[at] == '+' || text[at] == '-') {
    int hours = 0, minutes = 0;
    if (at + 6 != text.size() || text[at + 3] != ':' || !number(at + 1, 2, hours) ||
        !number(at + 4, 2, minutes))
      return {};
    out.offset_seconds = (hours * 3600 + minutes * 60) * (text[at] == '-' ? -1 : 1);
  } else if (text[at] != 'Z' || at + 1 != text.size()) {
    return {};
  }
  out.seconds = sys_days(date).time_since_epoch().count() * int64_t{86400} + int64_t{hour} * 3600 +
                int64_t{minute} * 60 + second - out.offset_seconds;
  return out;
}

}  // namespace holdfast::repo
