/// JSON text to values.
///
/// One pass, written by hand rather than on boost's basic_parser, because the real server's reader
/// (Go's encoding/json) is more forgiving than that one and its error sentences depend on the state
/// it was in:
///   - a lone \ud800 and bytes that are not UTF-8 inside a string become U+FFFD, and are no error;
///   - `{"a":1,}` says "invalid character '}' looking for beginning of object key string";
///   - text that ends too early is judged as if a blank followed, so `tru` says "invalid character
///   ' ' in literal true".
/// Syntax is judged over the whole text before any number is refused for its size.
#include <holdfast/base/text.h>
#include <holdfast/base/utf8.h>
#include <holdfast/model/json.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace holdfast::model {
namespace {

constexpr size_t kMaxDuplicates = 100;
constexpr uint32_t kReplacement = 0xfffd;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// A byte as Go prints the rune of the same number: 'x', '\'', '\x00', 'ÿ', '\u0080'.
std::string quoted_byte(char c) {
  const auto code = uint8_t(c);
  if (c == '\'') return "'\\''";
  if (c == '"') return "'\"'";
  if (code < 0x80) {
    const std::string text = quoted(std::string_view(&c, 1));
    return "'" + text.substr(1, text.size() - 2) + "'";
  }
  if (code <= 0xa0 || code == 0xad) return fmt::format("'\\u{:04x}'", code);
  return fmt::format("'{}{}'", char(0xc0 | code >> 6), char(0x80 | (code & 0x3f)));
}

/// Length of the well-formed multi-byte sequence at the start of `text`, or 0.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : 0; };
  const auto tail = [&](size_t i, int low = 0x80, int high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const int first = byte(0);
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = tail(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && tail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = tail(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

/// Where we are, kept as a chain through the stack so that a path costs nothing unless it is asked
/// for.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;
  size_t index = 0;
};

std::string path_of(const Place* place) {
  if (!place || !place->parent) return {};
  std::string path = path_of(place->parent);
  if (place->key.data() == nullptr) return path + "[" + std::to_string(place->index) + "]";
  if (!path.empty()) path += '.';
  return path.append(place->key);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  Result<Parsed> run() {
    Parsed parsed;
    const Place root;
    skip_space();
    if (!value(parsed.value, root, 0)) return failure();
    skip_space();
    if (at_ != end_) {
      fail("after top-level value");
      return failure();
    }
    if (!number_error_.empty()) return Error(Fault::Invalid, number_error_);
    parsed.duplicates = std::move(duplicates_);
    return parsed;
  }

 private:
  Error failure() { return Error(Fault::Invalid, error_); }

  bool fail(std::string_view where) {
    error_ = fmt::format("invalid character {} {}", quoted_byte(peek()), where);
    return false;
  }
  /// For states in which a blank would have been fine.
  bool fail_or_end(std::string_view where) {
    if (at_ != end_) return fail(where);
    error_ = "unexpected end of JSON input";
    return false;
  }

  char peek() const { return at_ == end_ ? ' ' : *at_; }
  void skip_space() {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }

  bool value(Value& out, const Place& place, size_t depth) {
    if (at_ == end_) return fail_or_end("");
    switch (*at_) {
      case '{':
        return object(out.emplace_object(), place, depth + 1);
      case '[':
        return array(out.emplace_array(), place, depth + 1);
      case '"': {
        std::string_view text;
        if (!string(text)) return false;
        out.emplace_string().assign(text.data(), text.size());
        return true;
      }
      case 't':
        out = true;
        return literal("true");
      case 'f':
        out = false;
        return literal("false");
      case 'n':
        out = nullptr;
        return literal("null");
      default:
        if (*at_ == '-' || is_digit(*at_)) return number(out);
        return fail("looking for beginning of value");
    }
  }

  bool object(Object& out, const Place& place, size_t depth) {
    if (depth > kMaxDepth) return fail("exceeded max depth");
    ++at_;
    skip_space();
    if (peek() == '}') return ++at_, true;
    for (;;) {
      skip_space();
      if (peek() != '"') return fail_or_end("looking for beginning of object key string");
      if (!member(out, place, depth)) return false;
      skip_space();
      if (peek() == '}') return ++at_, true;
      if (peek() != ',') return fail_or_end("after object key:value pair");
      ++at_;
    }
  }

  /// Room for one more. Boost grows small containers one element at a time at first, and most of
  /// the objects of an API have between four and sixteen members.
  template <class Container>
  static void grow(Container& out) {
    if (out.size() == out.capacity()) out.reserve(std::max<size_t>(4, out.size() * 2));
  }

  bool member(Object& out, const Place& place, size_t depth) {
    std::string_view name;
    if (!string(name)) return false;
    grow(out);
    const auto [slot, added] =
        out.emplace(boost::json::string_view(name.data(), name.size()), nullptr);
    const auto stored = slot->key();
    const Place here{.parent = &place, .key = {stored.data(), stored.size()}, .index = 0};
    if (!added && duplicates_.size() < kMaxDuplicates) duplicates_.push_back(path_of(&here));
    skip_space();
    if (peek() != ':') return fail_or_end("after object key");
    ++at_;
    skip_space();
    return value(slot->value(), here, depth);
  }

  bool array(Array& out, const Place& place, size_t depth) {
    if (depth > kMaxDepth) return fail("exceeded max depth");
    ++at_;
    skip_space();
    if (peek() == ']') return ++at_, true;
    for (;;) {
      skip_space();
      const Place here{.parent = &place, .key = {}, .index = out.size()};
      grow(out);
      if (!value(out.emplace_back(nullptr), here, depth)) return false;
      skip_space();
      if (peek() == ']') return ++at_, true;
      if (peek() != ',') return fail_or_end("after array element");
      ++at_;
    }
  }

  bool literal(std::string_view word) {
    for (const char c : word) {
      if (peek() != c) return fail(fmt::format("in literal {} (expecting '{}')", word, c));
      ++at_;
    }
    return true;
  }

  bool digits(std::string_view where) {
    if (!is_digit(peek())) return fail(where);
    while (is_digit(peek())) ++at_;
    return true;
  }

  bool number(Value& out) {
    const char* const start = at_;
    bool whole = true;
    if (*at_ == '-') ++at_;
    if (peek() == '0')
      ++at_;
    else if (!digits("in numeric literal"))
      return false;
    if (peek() == '.') {
      whole = false;
      ++at_;
      if (!digits("after decimal point in numeric literal")) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      whole = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits("in exponent of numeric literal")) return false;
    }
    convert({start, size_t(at_ - start)}, whole, out);
    return true;
  }

  void convert(std::string_view text, bool whole, Value& out) {
    const char* const last = text.data() + text.size();
    if (int64_t i = 0; whole && std::from_chars(text.data(), last, i).ec == std::errc{}) {
      out = i;
      return;
    }
    if (uint64_t u = 0; whole && std::from_chars(text.data(), last, u).ec == std::errc{}) {
      out = u;
      return;
    }
    double d = 0;
    // from_chars calls both 1e400 and 1e-400 out of range and gives neither; strtod tells them
    // apart.
    if (std::from_chars(text.data(), last, d).ec != std::errc{})
      d = std::strtod(std::string(text).c_str(), nullptr);
    if (!std::isfinite(d) && number_error_.empty())
      number_error_ =
          fmt::format("json: cannot unmarshal number {} into Go value of type float64", text);
    out = d;
  }

  /// Plain text is given as it stands; what needs decoding passes through scratch_.
  bool string(std::string_view& out) {
    const char* const start = ++at_;
    while (at_ != end_ && uint8_t(*at_) >= 0x20 && uint8_t(*at_) < 0x80 && *at_ != '"' &&
           *at_ != '\\')
      ++at_;
    if (at_ != end_ && *at_ == '"') {
      out = {start, size_t(at_++ - start)};
      return true;
    }
    scratch_.assign(start, at_);
    for (;;) {
      if (at_ == end_) return fail_or_end("");
      const char c = *at_;
      if (c == '"') break;
      if (uint8_t(c) < 0x20) return fail("in string literal");
      if (c == '\\') {
        if (!escape()) return false;
      } else if (uint8_t(c) < 0x80) {
        scratch_ += c;
        ++at_;
      } else {
        multi_byte();
      }
    }
    ++at_;
    out = scratch_;
    return true;
  }

  void multi_byte() {
    const size_t length = utf8_length({at_, size_t(end_ - at_)});
    if (length == 0)
      append_utf8(scratch_, kReplacement);
    else
      scratch_.append(at_, length);
    at_ += length == 0 ? 1 : length;
  }

  bool escape() {
    ++at_;
    const char c = peek();
    constexpr std::string_view kNames = "bfnrt\\/\"";
    constexpr std::string_view kMeant = "\b\f\n\r\t\\/\"";
    if (const size_t i = kNames.find(c); i != std::string_view::npos) {
      scratch_ += kMeant[i];
      ++at_;
      return true;
    }
    if (c != 'u') return fail("in string escape code");
    ++at_;
    uint32_t code = 0;
    if (!hex4(code)) return false;
    if (code >= 0xd800 && code < 0xe000) code = low_half(code);
    append_utf8(scratch_, code);
    return true;
  }

  bool hex4(uint32_t& code) {
    for (int i = 0; i < 4; ++i, ++at_) {
      uint32_t digit = 0;
      const char c = peek();
      if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc{})
        return fail("in \\u hexadecimal character escape");
      code = code << 4 | digit;
    }
    return true;
  }

  /// A high surrogate takes the low one that follows it; anything else is left alone and U+FFFD
  /// stands in.
  uint32_t low_half(uint32_t high) {
    uint32_t low = 0;
    if (high >= 0xdc00 || end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') return kReplacement;
    const auto [last, ec] = std::from_chars(at_ + 2, at_ + 6, low, 16);
    if (ec != std::errc{} || last != at_ + 6 || low < 0xdc00 || low >= 0xe000) return kReplacement;
    at_ += 6;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  }

  const char* at_;
  const char* end_;
  std::string error_;
  std::string number_error_;
  std::string scratch_;
  std::vector<std::string> duplicates_;
};

}  // namespace

Result<Parsed> parse_json(std::string_view text) { return Parser(text).run(); }

}  // namespace holdfast::model
