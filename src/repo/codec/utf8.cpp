#include "codec/utf8.h"

#include <algorithm>
#include <iterator>

namespace holdfast::repo {
namespace {

struct Range {
  uint32_t first, last;
};
// clang-format off
constexpr Range kPrintable[] = {
#include "codec/printable_ranges.inc"
};
// clang-format on

}  // namespace

bool is_printable(uint32_t code) {
  if (code < 0x80) return code >= 0x20 && code < 0x7f;
  const Range* after =
      std::upper_bound(std::begin(kPrintable), std::end(kPrintable), code,
                       [](uint32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(kPrintable) && code <= std::prev(after)->last;
}

}  // namespace holdfast::repo
