// The cache of an index. The input as a whole is refused unless it is one; the same bytes, with a
// head made for them and a seal that fits, must be read without harm whatever they say.
#include "hash/sha256.h"
#include "index/cache_file.h"

#include <vector>

using namespace holdfast;
using namespace holdfast::repo;

namespace {

void look_up_everything(const CachedIndex& cache) {
  (void)cache.files();
  for (const bool marked : {false, true}) {
    const IndexTable table = cache.table(marked);
    size_t seen = 0;
    table.each([&](BlobType type, const Id& id, const Location&) {
      const auto at = table.position(type, id);
      HF_CHECK(!at || table.id_at(type, *at) == id);
      ++seen;
    });
    HF_CHECK(seen == table.blobs(BlobType::Data) + table.blobs(BlobType::Tree));
  }
}

bool open(std::string_view bytes) {
  // Aligned as a mapped file is.
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const auto cache = CachedIndex::open({reinterpret_cast<char*>(aligned.data()), bytes.size()},
                                       CacheOwner(), [](uint64_t, uint64_t) {});
  if (!cache) return false;
  look_up_everything(*cache);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // One that is whole is not whole without its last byte.
  if (open(input)) HF_CHECK(!open(input.substr(0, size - 1)));
  if (size < 2 + kCacheSections) return 0;
  CacheCounts counts;
  counts.packs = data[0];
  counts.rows = data[1];
  for (size_t i = 0; i < kCacheSections; ++i) counts.entries[i] = data[2 + i];
  const std::optional<CacheLayout> layout = CacheLayout::of(counts);
  HF_CHECK(layout.has_value());
  std::string body(input.substr(2 + kCacheSections));
  body.resize(layout->digests - kCacheHead, '\0');
  const std::string digest(body.empty() ? std::string() : std::string(hash(body).raw()));
  open(cache_head(CacheOwner(), counts, digest) + body + digest);
  return 0;
}
