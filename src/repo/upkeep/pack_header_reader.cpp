#include "upkeep/pack_header_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Most headers are shorter: one request is enough then.
constexpr uint64_t kEager = 16 << 10;

Result<std::vector<PackedBlob>> read(KeyedRepository& repository, const std::string& place,
                                     uint64_t size) {
  const uint64_t eager = std::min(size, kEager);
  if (size < 4) return Error(Fault::Corrupt, fmt::format("{} bytes are no pack", size));
  std::string end = HF_TRY(repository.store().get(place, blob::Range{size - eager, eager}));
  uint64_t length = 0;
  for (size_t i = 1; i <= 4; ++i)
    length = length << 8 | static_cast<unsigned char>(end[end.size() - i]);
  if (length > kMostHeader || length + 4 > size)
    return Error(Fault::Corrupt, fmt::format("its header is said to have {} bytes", length));
  if (length + 4 > eager)
    end = HF_TRY(repository.store().get(place, blob::Range{size - 4 - length, length + 4}));
  const std::string plain =
      HF_TRY(repository.unseal(std::string_view(end).substr(end.size() - 4 - length, length)));
  return decode_header(plain, size - 4 - length);
}

}  // namespace

Result<std::vector<PackedBlob>> read_pack_header(KeyedRepository& repository, const Id& pack,
                                                 uint64_t size) {
  Result<std::vector<PackedBlob>> blobs = read(repository, place_of(FileType::Pack, pack), size);
  if (!blobs)
    return blobs.take_error().with_context(fmt::format("read the header of pack {}", pack.hex()));
  return blobs;
}

}  // namespace holdfast::repo
