// The header of a pack: eight bytes say how long the blobs before it are, the rest is the header.
// What is accepted must be written again byte for byte, and its blobs must fill the pack.
#include "codec/pack_header.h"

#include <holdfast/base/result.h>

using namespace holdfast;
using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 8) return 0;
  uint64_t blobs_size = 0;
  for (size_t i = 0; i < 8; ++i) blobs_size = blobs_size << 8 | data[i];
  const std::string_view header(reinterpret_cast<const char*>(data) + 8, size - 8);
  const auto blobs = decode_header(header, blobs_size);
  if (!blobs) return 0;
  HF_CHECK(encode_header(*blobs) == header);
  uint64_t end = 0;
  for (const PackedBlob& blob : *blobs) {
    HF_CHECK(blob.offset == end);
    end += blob.length;
  }
  HF_CHECK(end == blobs_size);
  return 0;
}
