/// Values to JSON text, byte for byte as Go's encoding/json prints the same value.
#include <holdfast/model/json.h>

#include "json/json_text.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <charconv>
#include <cmath>

namespace holdfast::model {
namespace {

template <class Int>
void append_int(std::string& out, Int value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

void append_escape(std::string& out, uint32_t code) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[code >> shift & 0xf];
}

/// Digits without a point, and the power of ten of the first one.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal shortest(double magnitude) {
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, size_t(end - buffer));
  const size_t e = text.find('e');
  Decimal decimal;
  for (const char c : text.substr(0, e))
    if (c != '.') decimal.digits += c;
  const size_t sign = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(buffer + sign, end, decimal.exponent);
  return decimal;
}

void append_scientific(std::string& out, const Decimal& decimal, bool pad_exponent) {
  out += decimal.digits[0];
  if (decimal.digits.size() > 1) out.append(".").append(decimal.digits, 1);
  out += decimal.exponent < 0 ? "e-" : "e+";
  const int size = std::abs(decimal.exponent);
  if (pad_exponent && size < 10) out += '0';
  append_int(out, size);
}

void append_fixed(std::string& out, const Decimal& decimal) {
  const auto& digits = decimal.digits;
  if (decimal.exponent < 0) {
    out.append("0.").append(size_t(-decimal.exponent - 1), '0').append(digits);
    return;
  }
  const auto whole = size_t(decimal.exponent) + 1;
  out.append(digits, 0, whole);
  if (digits.size() < whole) out.append(whole - digits.size(), '0');
  if (digits.size() > whole) out.append(".").append(digits, whole);
}

void append_object(std::string& out, const Object& object) {
  out += '{';
  bool first = true;
  for (const auto& member : object) {
    if (!first) out += ',';
    first = false;
    append_quoted_json(out, {member.key().data(), member.key().size()});
    out += ':';
    append_json(out, member.value());
  }
  out += '}';
}

void append_array(std::string& out, const Array& array) {
  out += '[';
  bool first = true;
  for (const Value& item : array) {
    if (!first) out += ',';
    first = false;
    append_json(out, item);
  }
  out += ']';
}

}  // namespace

void append_double(std::string& out, double value, DoubleForm form) {
  const bool json = form == DoubleForm::Json;
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (std::signbit(value)) out += '-';
  if (value == 0) {
    out += '0';
    return;
  }
  const Decimal decimal = shortest(std::fabs(value));
  if (decimal.exponent < (json ? -6 : -4) || decimal.exponent >= (json ? 21 : 6))
    append_scientific(out, decimal, !json);
  else
    append_fixed(out, decimal);
}

void append_quoted_json(std::string& out, std::string_view text) {
  out += '"';
  size_t done = 0;
  const auto flush = [&](size_t to, size_t skip) {
    out.append(text, done, to - done);
    done = to + skip;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
    if (uint8_t(c) >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' &&
        c != '\xe2')
      continue;
    if (c == '\xe2') {
      const std::string_view separator = text.substr(i, 3);
      if (separator != "\u2028" && separator != "\u2029") continue;
      flush(i, 3);
      append_escape(out, separator == "\u2028" ? 0x2028 : 0x2029);
    } else if (const size_t which = kShort.find(c); which != std::string_view::npos) {
      flush(i, 1);
      out.append("\\").push_back("\"\\bfnrt"[which]);
    } else {
      flush(i, 1);
      append_escape(out, uint8_t(c));
    }
  }
  flush(text.size(), 0);
  out += '"';
}

void append_json(std::string& out, const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      return;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case boost::json::kind::int64:
      append_int(out, value.get_int64());
      return;
    case boost::json::kind::uint64:
      append_int(out, value.get_uint64());
      return;
    case boost::json::kind::double_:
      append_double(out, value.get_double());
      return;
    case boost::json::kind::string:
      append_quoted_json(out, view(value.get_string()));
      return;
    case boost::json::kind::array:
      append_array(out, value.get_array());
      return;
    case boost::json::kind::object:
      append_object(out, value.get_object());
      return;
  }
}

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

}  // namespace holdfast::model
