/// UTF-8 as Go reads it: a bad byte is one rune that is not valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::repo {

struct Rune {
  uint32_t code = 0xfffd;
  size_t size = 1;
  bool valid = false;
};
/// Of text that is not empty.
Rune decode_utf8(std::string_view text);
/// Go's strconv.IsPrint.
bool is_printable(uint32_t code);

}  // namespace holdfast::repo
