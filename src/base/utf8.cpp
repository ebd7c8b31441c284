#include <holdfast/base/utf8.h>

namespace holdfast {
namespace {

/// How many bytes a rune that begins so has, and the least code that may need as many.
struct Form {
  size_t size;
  uint32_t least;
};
Form form_of(unsigned char first) {
  if (first >= 0xc2 && first <= 0xdf) return {2, 0x80};
  if (first >= 0xe0 && first <= 0xef) return {3, 0x800};
  if (first >= 0xf0 && first <= 0xf4) return {4, 0x10000};
  return {0, 0};
}

}  // namespace

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += char(code);
  } else if (code < 0x800) {
    out += char(0xc0 | code >> 6);
    out += char(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += char(0xe0 | code >> 12);
    out += char(0x80 | (code >> 6 & 0x3f));
    out += char(0x80 | (code & 0x3f));
  } else {
    out += char(0xf0 | code >> 18);
    out += char(0x80 | (code >> 12 & 0x3f));
    out += char(0x80 | (code >> 6 & 0x3f));
    out += char(0x80 | (code & 0x3f));
  }
}

Rune decode_utf8(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1, true};
  const auto [size, least] = form_of(first);
  if (size == 0 || text.size() < size) return {};
  uint32_t code = first & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least || code > 0x10ffff || surrogate) return {};
  return {code, size, true};
}

}  // namespace holdfast
