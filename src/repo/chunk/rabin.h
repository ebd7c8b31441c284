/// restic's chunker: where a file is cut depends on its content only, so that an insertion moves
/// no cut but the next.
///
/// A Rabin fingerprint over the last 64 bytes; a chunk ends where its low 20 bits are zero, after
/// at least 512 KiB and at most 8 MiB. From the 64th byte on the fingerprint is a function of
/// those 64 bytes alone, so stretches of a chunk are searched side by side.
#pragma once

#include "chunk/polynomial.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::repo {

inline constexpr size_t kWindow = 64;
inline constexpr size_t kLeastChunk = size_t{512} << 10;
inline constexpr size_t kMostChunk = size_t{8} << 20;
inline constexpr uint64_t kCutMask = (uint64_t{1} << 20) - 1;

class Rabin {
 public:
  explicit Rabin(Polynomial polynomial);

  /// Where the first chunk of `data` ends, if what is in sight decides it. `seen` bytes of it were
  /// searched before, in vain.
  std::optional<size_t> find_cut(std::string_view data, size_t seen = 0) const;
  /// The same for data that holds kMostChunk bytes or all that is left.
  size_t cut(std::string_view data) const { return find_cut(data).value_or(data.size()); }
  /// The same by restic's own loop, byte by byte; what cut() is tested against.
  size_t cut_slowly(std::string_view data) const;

 private:
  uint64_t slide(uint64_t digest, uint8_t leaves, uint8_t enters) const {
    digest ^= out_[leaves];
    const uint64_t top = digest >> (kDegree - 8);
    return (digest << 8 | enters) ^ mod_[top];
  }
  uint64_t digest_before(const uint8_t* at) const;

  std::array<uint64_t, 256> out_{}, mod_{};
};

}  // namespace holdfast::repo
