/// The index of a repository as one local file that is mapped, not loaded. It is never more than a
/// copy: of index files that are named in it, and of no others.
#pragma once

#include "index/table.h"
#include "seal/sealer.h"

#include <set>

namespace holdfast::repo {

/// What a cache is made for: nobody without the keys of the repository can make one that is
/// believed.
struct CacheOwner {
  Id key{};         ///< not the master key itself, but made from it
  Id repository{};  ///< hash of the id in its config
};
CacheOwner cache_owner(const MasterKey& key, std::string_view repository);

/// How many packs in the order of their numbers an index file told of. A file may have several
/// rows.
struct CacheRow {
  Id file{};
  uint64_t packs = 0;
};

/// Blobs of packs in use and of marked ones, data and trees: in this order.
inline constexpr size_t kCacheSections = 4;
inline size_t cache_section(bool marked, BlobType type) {
  return (marked ? 2U : 0U) + size_t(type);
}

struct CacheCounts {
  uint64_t packs = 0, rows = 0;
  uint64_t entries[kCacheSections] = {};
};

/// Where the parts begin.
struct CacheLayout {
  uint64_t packs = 0, rows = 0, digests = 0, end = 0;
  uint64_t entries[kCacheSections] = {}, fences[kCacheSections] = {}, tags[kCacheSections] = {};
  /// Nothing for counts that fit no file.
  static std::optional<CacheLayout> of(const CacheCounts& counts);
};

inline constexpr uint64_t kCacheHead = 4096;
inline constexpr uint64_t kCacheChunk = uint64_t{1} << 20;
/// All of the head, `digests` being those of the chunks one after another.
std::string cache_head(const CacheOwner& owner, const CacheCounts& counts,
                       std::string_view digests);

class CachedIndex {
 public:
  /// Reads every byte once and believes none before. Corrupt says what is wrong; nothing it says
  /// would help anybody but to make it anew. `bytes` are aligned, and outlive it; `done` hears what
  /// need not be kept in memory.
  static Result<CachedIndex> open(std::string_view bytes, const CacheOwner& owner,
                                  const std::function<void(uint64_t offset, uint64_t size)>& done);

  IndexTable table(bool marked) const;
  std::span<const IndexTable::Entry> entries(size_t section) const;
  std::span<const Id> packs() const;
  std::span<const CacheRow> rows() const;
  std::set<Id> files() const;

 private:
  CachedIndex(std::string_view bytes, const CacheCounts& counts, const CacheLayout& layout)
      : bytes_(bytes), counts_(counts), layout_(layout) {}
  template <class T>
  std::span<const T> part(uint64_t offset, uint64_t count) const;

  std::string_view bytes_;
  CacheCounts counts_;
  CacheLayout layout_;
};

}  // namespace holdfast::repo
