/// The end of a pack, which says what is in it:
///
///   sealed blob ‖ … ‖ sealed blob ‖ sealed header ‖ length of the sealed header (u32, LE)
///   header: one entry per blob, in their order; offsets follow from the lengths
///     type (u8: 0 data, 1 tree, 2 data compressed, 3 tree compressed)
///     length of the sealed blob (u32) ‖ [length of the plain blob (u32), if compressed] ‖ id (32)
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/repo/id.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::repo {

struct PackedBlob {
  BlobType type = BlobType::Data;
  Id id{};
  uint32_t offset = 0, length = 0;
  uint32_t plain_length = 0;  ///< 0 = not compressed
};

inline constexpr size_t kMostHeader = (size_t{16} << 20) + 4;

std::string encode_header(const std::vector<PackedBlob>& blobs);
/// Corrupt names the entry. `blobs_size` is where the sealed header begins: the blobs must fill
/// exactly that.
Result<std::vector<PackedBlob>> decode_header(std::string_view plain, uint64_t blobs_size);
/// Bytes of the sealed header and its length field, for a pack of these blobs.
uint64_t header_size(const std::vector<PackedBlob>& blobs);

}  // namespace holdfast::repo
