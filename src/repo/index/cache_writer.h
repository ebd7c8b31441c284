/// Writer of the cache of an index of any size in little memory: sorted runs go to a file without a
/// name and are merged into the cache.
#pragma once

#include "files/new_file.h"
#include "index/cache_file.h"

namespace holdfast::repo {

/// A cache, and the file that it is.
struct MappedIndex {
  MappedFile file;
  CachedIndex index;
  /// NotFound if there is none, Corrupt if it cannot be believed.
  static Result<MappedIndex> open(const std::string& path, const CacheOwner& owner);
};

class CacheWriter {
 public:
  /// `path` is in `folder`, or empty for a cache that is not to be found by others.
  static Result<CacheWriter> create(const std::string& folder, const std::string& path,
                                    const CacheOwner& owner);

  /// What an older cache says of index files that are still there. It stays until finish().
  Result<void> keep(const MappedIndex& older, const std::set<Id>& files);
  /// A sorted table whose packs are those of the rows.
  Result<void> add(bool marked, const IndexTable& table, std::span<const CacheRow> rows);
  /// `publish`: others will find it.
  Result<MappedIndex> finish(bool publish);

 private:
  using Entry = IndexTable::Entry;
  static constexpr uint32_t kGone = UINT32_MAX;

  /// Sorted entries that are fetched some at a time.
  struct Run {
    std::function<Result<std::span<const Entry>>()> fetch;  ///< none at the end
    std::span<const Entry> fetched{};
    Entry head{};
    /// False at the end.
    Result<bool> advance();
  };
  struct Spilled {
    size_t section = 0;
    uint64_t offset = 0, count = 0;
  };

  CacheWriter(NewFile file, NewFile runs, const CacheOwner& owner)
      : file_(std::move(file)), runs_(std::move(runs)), owner_(owner) {}
  Result<void> add_packs(std::span<const Id> packs);
  Result<void> append(std::string_view bytes);
  Result<void> flush(bool all);
  Run of_older(size_t section) const;
  Run of_spilled(const Spilled& spilled) const;
  Result<void> merge(size_t section);

  NewFile file_, runs_;
  CacheOwner owner_;
  CacheCounts counts_;
  std::vector<CacheRow> rows_;
  std::vector<Spilled> spilled_;
  uint64_t spilled_bytes_ = 0;
  const MappedIndex* older_ = nullptr;
  std::vector<uint32_t> older_numbers_;
  std::vector<uint64_t> fences_[kCacheSections];
  std::vector<uint16_t> tags_;  ///< of all sections
  std::string buffer_;          ///< what is not yet written
  std::string digests_;
};

}  // namespace holdfast::repo
