/// JSON scanner: reads text by position, without a DOM and without copying: one pass that checks
/// the grammar and tells where each thing begins and ends. Lists of a hundred thousand objects pass
/// through here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::kube {

/// A cursor over text that outlives it. Every step returns false when the text is not JSON; the
/// cursor then stands where it noticed. It never reads beyond the end.
class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()) {}

  /// One whole value, nested no deeper than model::parse_json reads.
  bool skip();
  /// A string; `raw` is what stands between the quotes, escapes untouched.
  bool string(std::string_view& raw);

  /// Members of an object: `if (enter('{')) while (member(key)) { one step per value }`, then
  /// `left()` says whether it ended as it should. The same with '[' and `element()`.
  bool enter(char bracket);
  bool member(std::string_view& key);
  bool element();
  bool left() const { return left_; }

  /// The next byte that is not white space; 0 at the end.
  char peek();
  bool at_end() { return peek() == '\0' && p_ == end_; }
  size_t position() const { return size_t(p_ - begin_); }
  std::string_view between(size_t from, size_t to) const { return {begin_ + from, to - from}; }
  /// White space was passed since the beginning: the text is not minified.
  bool spaced() const { return spaced_; }

 private:
  bool space();  ///< false at the end of the text
  bool string_tail();
  bool escape();
  bool number();
  bool in_range(const char* from) const;
  bool literal(std::string_view word);
  bool key_and_colon(std::string_view& key);
  bool value_start(size_t& depth, bool& complete);
  bool value_end(size_t& depth, bool& complete);
  bool inside_object(size_t depth) const;
  bool descend(size_t& depth, bool object);
  bool next_part(char close, bool& more);

  static constexpr size_t kWords = 16;  ///< 64 levels each
  const char* begin_;
  const char* p_;
  const char* end_;
  std::array<uint64_t, kWords> objects_{};  ///< bit per level of skip(): an object, not an array
  bool spaced_ = false;
  bool first_ = false;  ///< just entered: no comma before the first part
  bool left_ = true;
};

/// The text that a raw string stands for.
std::string unescaped(std::string_view raw);
/// Without white space between tokens. The text is JSON.
std::string minified(std::string_view text);

// Looking things up in text that is known to be minified JSON.

/// The raw value of a member of the object, "" if there is none.
std::string_view member_of(std::string_view object, std::string_view key);
/// The value of a member that is a string, unescaped; "" otherwise.
std::string string_member(std::string_view object, std::string_view key);

}  // namespace holdfast::kube
