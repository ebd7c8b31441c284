// Ids as text and back.
#include <holdfast/base/bytes.h>
#include <holdfast/repo/id.h>

namespace holdfast::repo {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Id::hex() const { return holdfast::hex(raw()); }

std::optional<Id> Id::from_hex(std::string_view text) {
  Id out;
  if (text.size() != 2 * out.bytes.size()) return {};
  for (size_t i = 0; i < out.bytes.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return {};
    out.bytes[i] = uint8_t(high << 4 | low);
  }
  return out;
}

Id Id::from_raw(std::string_view raw) {
  Id out;
  std::memcpy(out.bytes.data(), raw.data(), out.bytes.size());
  return out;
}

}  // namespace holdfast::repo
