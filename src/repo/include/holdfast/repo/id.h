/// Id of a blob or a file of a repository: a SHA-256.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::repo {

struct Id {
  std::array<uint8_t, 32> bytes{};
  bool operator==(const Id&) const = default;
  /// In the order of bytes. Two of them nearly always differ in the first eight.
  std::strong_ordering operator<=>(const Id& other) const {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, bytes.data(), sizeof a);
    std::memcpy(&b, other.bytes.data(), sizeof b);
    if (a != b) return __builtin_bswap64(a) <=> __builtin_bswap64(b);
    return std::memcmp(bytes.data(), other.bytes.data(), bytes.size()) <=> 0;
  }
  std::string hex() const;
  /// 64 lower-case hex digits.
  static std::optional<Id> from_hex(std::string_view text);
  static Id from_raw(std::string_view raw);  ///< exactly 32 bytes
  std::string_view raw() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

struct IdHash {
  /// SHA-256 is as good as chance.
  size_t operator()(const Id& id) const {
    size_t out = 0;
    std::memcpy(&out, id.bytes.data(), sizeof out);
    return out;
  }
};

enum class BlobType : uint8_t { Data, Tree };

}  // namespace holdfast::repo
