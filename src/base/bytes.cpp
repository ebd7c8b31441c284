#include <holdfast/base/bytes.h>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>
#include <cstdint>

namespace holdfast {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::string_view bytes, std::string_view alphabet, bool padded) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t have = std::min<size_t>(3, bytes.size() - at);
    uint32_t word = 0;
    for (size_t i = 0; i < 3; ++i) word = word << 8 | (i < have ? uint8_t(bytes[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i) {
      if (i <= have)
        out += alphabet[word >> (18 - 6 * i) & 63];
      else if (padded)
        out += '=';
    }
  }
  return out;
}

std::optional<std::string> decode(std::string_view text, std::string_view alphabet) {
  std::array<int8_t, 256> value{};
  value.fill(-1);
  for (size_t i = 0; i < alphabet.size(); ++i) value[uint8_t(alphabet[i])] = int8_t(i);

  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const int8_t six = value[uint8_t(c)];
    if (six < 0) return std::nullopt;
    word = word << 6 | uint32_t(six);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += char(word >> bits & 0xff);
    }
  }
  // Left-over bits must be zero, else two texts would mean the same bytes.
  if ((word & ((1u << bits) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += kDigits[uint8_t(c) >> 4];
    out += kDigits[uint8_t(c) & 15];
  }
  return out;
}

std::string base64(std::string_view bytes) { return encode(bytes, kStandard, true); }
std::string base64url(std::string_view bytes) { return encode(bytes, kUrl, false); }

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(text, kStandard);
}

std::optional<std::string> from_base64url(std::string_view text) { return decode(text, kUrl); }

std::string sha256(std::string_view bytes) {
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

bool equal_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    if (*at < 0x80) {
      ++at;
      continue;
    }
    // Smallest and largest second byte exclude overlong forms, surrogates and code points past
    // U+10FFFF.
    int more = 0;
    uint8_t low = 0x80, high = 0xbf;
    if (*at >= 0xc2 && *at <= 0xdf)
      more = 1;
    else if (*at == 0xe0)
      more = 2, low = 0xa0;
    else if (*at == 0xed)
      more = 2, high = 0x9f;
    else if (*at >= 0xe1 && *at <= 0xef)
      more = 2;
    else if (*at == 0xf0)
      more = 3, low = 0x90;
    else if (*at == 0xf4)
      more = 3, high = 0x8f;
    else if (*at >= 0xf1 && *at <= 0xf3)
      more = 3;
    else
      return false;
    if (end - at <= more || at[1] < low || at[1] > high) return false;
    for (int i = 2; i <= more; ++i)
      if ((at[i] & 0xc0) != 0x80) return false;
    at += more + 1;
  }
  return true;
}

}  // namespace holdfast
