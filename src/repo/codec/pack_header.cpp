#include "codec/pack_header.h"

#include "seal/sealer.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

constexpr uint8_t kCompressed = 2;

void append_u32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += char(value >> shift & 0xff);
}

uint32_t read_u32(std::string_view at) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(at[size_t(i)]);
  return value;
}

size_t entry_size(bool compressed) { return compressed ? 41 : 37; }

}  // namespace

std::string encode_header(const std::vector<PackedBlob>& blobs) {
  std::string out;
  out.reserve(blobs.size() * entry_size(true));
  for (const PackedBlob& blob : blobs) {
    const bool compressed = blob.plain_length != 0;
    out += char(uint8_t(blob.type) + (compressed ? kCompressed : 0));
    append_u32(out, blob.length);
    if (compressed) append_u32(out, blob.plain_length);
    out += blob.id.raw();
  }
  return out;
}

Result<std::vector<PackedBlob>> decode_header(std::string_view plain, uint64_t blobs_size) {
  std::vector<PackedBlob> blobs;
  blobs.reserve(plain.size() / entry_size(false));
  uint64_t offset = 0;
  while (!plain.empty()) {
    const auto type = static_cast<uint8_t>(plain[0]);
    if (type > 3)
      return Error(
          Fault::Corrupt,
          fmt::format("entry {} of the header has type {}, known are 0 to 3", blobs.size(), type));
    const bool compressed = (type & kCompressed) != 0;
    if (plain.size() < entry_size(compressed))
      return Error(Fault::Corrupt, fmt::format("entry {} of the header is cut off", blobs.size()));
    PackedBlob blob;
    blob.type = BlobType(type & 1);
    blob.offset = uint32_t(offset);
    blob.length = read_u32(plain.substr(1));
    if (compressed) blob.plain_length = read_u32(plain.substr(5));
    blob.id = Id::from_raw(plain.substr(entry_size(compressed) - 32, 32));
    offset += blob.length;
    if (blob.length < kSealOverhead || offset > blobs_size ||
        (compressed && blob.plain_length == 0))
      return Error(Fault::Corrupt,
                   fmt::format("entry {} of the header: blob {} of {} bytes at {} does not fit",
                               blobs.size(), blob.id.hex(), blob.length, blob.offset));
    blobs.push_back(blob);
    plain.remove_prefix(entry_size(compressed));
  }
  if (offset != blobs_size)
    return Error(Fault::Corrupt, fmt::format("the header speaks of {} bytes of blobs, there are {}",
                                             offset, blobs_size));
  return blobs;
}

uint64_t header_size(const std::vector<PackedBlob>& blobs) {
  uint64_t size = kSealOverhead + 4;
  for (const PackedBlob& blob : blobs) size += entry_size(blob.plain_length != 0);
  return size;
}

}  // namespace holdfast::repo
