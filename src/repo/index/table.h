/// Where blobs are, as a sorted table: 48 bytes a blob, found by where its id should stand.
#pragma once

#include <holdfast/repo/repository.h>

#include "codec/index_file.h"

#include <functional>
#include <optional>
#include <vector>

namespace holdfast::repo {

/// Filled by add(), then sorted once; afterwards it only answers. Ids are as good as chance, so the
/// place of one among n is guessed within a few entries.
class IndexTable {
 public:
  void add(const IndexedPack& pack);
  void sort();

  std::optional<Location> find(BlobType type, const Id& id) const;
  /// Where an id stands among those of its type: a number below blobs(type), so that sets of blobs
  /// are bitmaps. Of several places, the one in the pack that was added first; the others follow.
  std::optional<size_t> position(BlobType type, const Id& id) const;
  const Id& id_at(BlobType type, size_t position) const {
    return entries_[size_t(type)][position].id;
  }
  Location location_at(BlobType type, size_t position) const {
    return location(entries_[size_t(type)][position]);
  }
  /// Number of the pack within packs().
  uint32_t pack_at(BlobType type, size_t position) const {
    return entries_[size_t(type)][position].pack;
  }
  uint64_t blobs(BlobType type) const { return entries_[size_t(type)].size(); }
  void each(const std::function<void(BlobType, const Id&, const Location&)>& see) const;
  const std::vector<Id>& packs() const { return packs_; }

 private:
  struct Entry {
    Id id{};
    uint32_t pack = 0, offset = 0, length = 0, plain_length = 0;
  };
  Location location(const Entry& entry) const {
    return {packs_[entry.pack], entry.offset, entry.length, entry.plain_length};
  }

  std::vector<Entry> entries_[2];
  std::vector<Id> packs_;
};

}  // namespace holdfast::repo
