/// Unicode as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

/// Of any code point; surrogates are not told apart.
void append_utf8(std::string& out, uint32_t code);

/// A character, as Go reads it: a bad byte is one that is not valid.
struct Rune {
  uint32_t code = 0xfffd;
  size_t size = 1;
  bool valid = false;
};
/// Of text that is not empty.
Rune decode_utf8(std::string_view text);

}  // namespace holdfast
