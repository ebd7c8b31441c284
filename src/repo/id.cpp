// Ids as text and back.
#include <holdfast/base/bytes.h>
#include <holdfast/repo/id.h>

namespace holdfast::repo {
namespace {

/// Of each byte its worth as a digit; -1 of what is none.
constexpr std::array<int, 256> make_digits() {
  std::array<int, 256> out{};
  out.fill(-1);
  for (size_t i = 0; i < 10; ++i) out[size_t{'0'} + i] = int(i);
  for (size_t i = 0; i < 6; ++i) out[size_t{'a'} + i] = int(10 + i);
  return out;
}
constexpr std::array<int, 256> kDigits = make_digits();

}  // namespace

std::string Id::hex() const { return holdfast::hex(raw()); }

std::optional<Id> Id::from_hex(std::string_view text) {
  Id out;
  if (text.size() != 2 * out.bytes.size()) return {};
  int all = 0;
  for (size_t i = 0; i < out.bytes.size(); ++i) {
    const int high = kDigits[uint8_t(text[2 * i])], low = kDigits[uint8_t(text[2 * i + 1])];
    all |= high | low;
    out.bytes[i] = uint8_t(high << 4 | low);
  }
  if (all < 0) return {};
  return out;
}

Id Id::from_raw(std::string_view raw) {
  Id out;
  std::memcpy(out.bytes.data(), raw.data(), out.bytes.size());
  return out;
}

}  // namespace holdfast::repo
