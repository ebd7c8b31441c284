#include "cache/scanner.h"

#include <holdfast/model/json.h>

#include <boost/json/string.hpp>

#include <bit>
#include <charconv>
#include <cstring>

namespace holdfast::kube {
namespace {

// Whoever calls skip() has entered a few levels by hand; together they stay within what
// model::parse_json reads.
constexpr size_t kDeepest = model::kMaxDepth - 8;

constexpr uint64_t kOnes = 0x0101010101010101ULL;
constexpr uint64_t kHighs = 0x8080808080808080ULL;

/// High bits mark the bytes of `word` that are zero; bytes above the first such may be marked
/// falsely.
constexpr uint64_t zero_bytes(uint64_t word) { return (word - kOnes) & ~word & kHighs; }

/// Marks the bytes that end a run of plain string characters: a quote, a backslash, a control. The
/// lowest mark is true.
constexpr uint64_t plain_ends(uint64_t word) {
  const uint64_t quote = zero_bytes(word ^ (kOnes * '"'));
  const uint64_t slash = zero_bytes(word ^ (kOnes * '\\'));
  const uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
  return quote | slash | control;
}

bool is_plain(char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; }

/// The first byte that is not plain, or the end. Strings are most of JSON: eight bytes a step.
const char* skip_plain(const char* p, const char* end) {
  while (end - p >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, p, 8);
    const uint64_t ends = plain_ends(word);
    if (ends == 0) {
      p += 8;
    } else if constexpr (std::endian::native == std::endian::little) {
      return p + std::countr_zero(ends) / 8;
    } else {
      break;
    }
  }
  while (p != end && is_plain(*p)) ++p;
  return p;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

bool Scanner::space() {
  if (p_ != end_ && *p_ > ' ') return true;
  while (p_ != end_ && is_space(*p_)) {
    ++p_;
    spaced_ = true;
  }
  return p_ != end_;
}

char Scanner::peek() { return space() ? *p_ : '\0'; }

bool Scanner::escape() {
  if (end_ - p_ < 2) return false;
  const char what = p_[1];
  if (what != 'u') {
    p_ += 2;
    return what != '\0' && std::strchr("\"\\/bfnrt", what) != nullptr;
  }
  if (end_ - p_ < 6) return false;
  for (int i = 2; i < 6; ++i)
    if (!is_hex(p_[i])) return false;
  p_ += 6;
  return true;
}

/// From behind the opening quote to behind the closing one.
bool Scanner::string_tail() {
  for (;;) {
    p_ = skip_plain(p_, end_);
    if (p_ == end_) return false;
    if (*p_ == '"') {
      ++p_;
      return true;
    }
    if (*p_ != '\\' || !escape()) return false;
  }
}

bool Scanner::string(std::string_view& raw) {
  if (peek() != '"') return false;
  const char* const start = ++p_;
  if (!string_tail()) return false;
  raw = {start, size_t(p_ - start - 1)};
  return true;
}

bool Scanner::literal(std::string_view word) {
  if (size_t(end_ - p_) < word.size() || std::memcmp(p_, word.data(), word.size()) != 0)
    return false;
  p_ += word.size();
  return true;
}

/// Numbers that no double can hold are refused, as every JSON reader of Kubernetes does.
bool Scanner::in_range(const char* from) const {
  double value = 0;
  return std::from_chars(from, p_, value).ec == std::errc();
}

bool Scanner::number() {
  const char* const start = p_;
  const auto digits = [this] {
    const char* const from = p_;
    while (p_ != end_ && is_digit(*p_)) ++p_;
    return p_ - from;
  };
  if (*p_ == '-') ++p_;
  const bool zero = p_ != end_ && *p_ == '0';
  const auto whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (p_ != end_ && *p_ == '.') {
    ++p_;
    if (digits() == 0) return false;
  }
  bool exponent = false;
  if (p_ != end_ && (*p_ == 'e' || *p_ == 'E')) {
    exponent = true;
    ++p_;
    if (p_ != end_ && (*p_ == '+' || *p_ == '-')) ++p_;
    if (digits() == 0) return false;
  }
  constexpr auto kAlwaysInRange = 300;
  return (!exponent && whole < kAlwaysInRange) || in_range(start);
}

bool Scanner::inside_object(size_t depth) const {
  return (objects_[(depth - 1) / 64] >> ((depth - 1) % 64) & 1) != 0;
}

bool Scanner::descend(size_t& depth, bool object) {
  static_assert(kDeepest <= kWords * 64);
  if (depth == kDeepest) return false;
  uint64_t& word = objects_[depth / 64];
  const uint64_t bit = uint64_t(1) << (depth % 64);
  word = object ? word | bit : word & ~bit;
  ++depth;
  return true;
}

/// A scalar, an empty container, or the way into one.
bool Scanner::value_start(size_t& depth, bool& complete) {
  complete = true;
  if (!space()) return false;
  const char first = *p_;
  switch (first) {
    case '"':
      ++p_;
      return string_tail();
    case '{':
    case '[': {
      ++p_;
      if (!space()) return false;
      if (*p_ == (first == '{' ? '}' : ']')) {
        ++p_;
        return true;
      }
      complete = false;
      std::string_view key;
      return descend(depth, first == '{') && (first == '[' || key_and_colon(key));
    }
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    default:
      return number();
  }
}

/// What may stand behind a complete value: the end of its containers, then a comma unless all are
/// left.
bool Scanner::value_end(size_t& depth, bool& complete) {
  while (depth > 0) {
    if (!space()) return false;
    const bool object = inside_object(depth);
    const char c = *p_++;
    if (c == ',') {
      std::string_view key;
      complete = false;
      return !object || key_and_colon(key);
    }
    if (c != (object ? '}' : ']')) return false;
    --depth;
  }
  complete = true;
  return true;
}

bool Scanner::skip() {
  size_t depth = 0;
  bool complete = false;
  for (;;) {
    if (!value_start(depth, complete)) return false;
    if (!complete) continue;
    if (!value_end(depth, complete)) return false;
    if (complete) return true;
  }
}

bool Scanner::key_and_colon(std::string_view& key) {
  if (!string(key) || peek() != ':') return false;
  ++p_;
  return true;
}

bool Scanner::enter(char bracket) {
  left_ = false;
  if (peek() != bracket) return false;
  ++p_;
  first_ = true;
  return true;
}

/// Steps over the comma or the closing bracket.
bool Scanner::next_part(char close, bool& more) {
  const bool first = std::exchange(first_, false);
  const char c = peek();
  more = false;
  if (c == close) {
    ++p_;
    left_ = true;
    return true;
  }
  left_ = false;
  if (!first) {
    if (c != ',') return false;
    ++p_;
  }
  more = true;
  return true;
}

bool Scanner::member(std::string_view& key) {
  bool more = false;
  return next_part('}', more) && more && key_and_colon(key);
}

bool Scanner::element() {
  bool more = false;
  return next_part(']', more) && more;
}

std::string unescaped(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string quoted;
  quoted.reserve(raw.size() + 2);
  quoted.append("\"").append(raw).append("\"");
  const auto parsed = model::parse_json(quoted);
  return parsed && parsed->value.is_string() ? std::string(model::view(parsed->value.get_string()))
                                             : std::string();
}

std::string minified(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quoted && is_space(c)) continue;
    out += c;
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') out += text[++i];
  }
  return out;
}

std::string_view member_of(std::string_view object, std::string_view key) {
  Scanner scan(object);
  std::string_view name;
  if (!scan.enter('{')) return {};
  while (scan.member(name)) {
    const size_t from = scan.position();
    if (!scan.skip()) return {};
    if (name == key) return scan.between(from, scan.position());
  }
  return {};
}

std::string string_member(std::string_view object, std::string_view key) {
  const std::string_view raw = member_of(object, key);
  return raw.size() >= 2 && raw.front() == '"' ? unescaped(raw.substr(1, raw.size() - 2))
                                               : std::string();
}

}  // namespace holdfast::kube
