/// Sorted table of the places of blobs: 48 bytes a blob, found by where its id should stand. In
/// memory, or in a file that is mapped.
#pragma once

#include <holdfast/repo/repository.h>

#include "codec/index_file.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace holdfast::repo {

/// Filled by add(), then sorted once; afterwards it only answers. Ids are as good as chance, so the
/// place of one is guessed among the fences: the beginnings of every sixteenth id. Of the entries
/// between two fences only those are read whose tag fits, two bytes of the id that stand apart: of
/// a mapped file one page for a blob that is there, and none for one that is not.
class IndexTable {
 public:
  struct Entry {
    Id id{};
    uint32_t pack = 0, offset = 0, length = 0, plain_length = 0;
    /// How they are sorted.
    bool operator<(const Entry& other) const {
      return id != other.id ? id < other.id : pack < other.pack;
    }
  };
  static constexpr size_t kFenceEvery = 16;
  /// The first eight bytes of an id, as a number that is ordered as ids are.
  static uint64_t beginning(const Id& id);
  static uint16_t tag(const Id& id) { return uint16_t(id.bytes[30] << 8 | id.bytes[31]); }
  /// Those of one type, sorted; their fences, and a tag for each.
  struct Section {
    std::span<const Entry> entries{};
    std::span<const uint64_t> fences{};
    std::span<const uint16_t> tags{};
  };

  IndexTable() = default;
  /// Of sections that others keep, for as long as the table is used.
  IndexTable(Section data, Section trees, std::span<const Id> packs)
      : sections_{{data, trees}}, packs_(packs) {}
  // What is in memory stays where it is when a table moves.
  IndexTable(IndexTable&&) noexcept = default;
  IndexTable& operator=(IndexTable&&) noexcept = default;

  void add(const IndexedPack& pack);
  void sort();

  std::optional<Location> find(BlobType type, const Id& id) const;
  /// Where an id stands among those of its type: a number below blobs(type), so that sets of blobs
  /// are bitmaps. Of several places, the one in the pack that was added first; the others follow.
  std::optional<size_t> position(BlobType type, const Id& id) const;
  const Id& id_at(BlobType type, size_t position) const {
    return section(type).entries[position].id;
  }
  Location location_at(BlobType type, size_t position) const {
    return location(section(type).entries[position]);
  }
  /// Number of the pack within packs().
  uint32_t pack_at(BlobType type, size_t position) const {
    return section(type).entries[position].pack;
  }
  uint64_t blobs(BlobType type) const { return section(type).entries.size(); }
  void each(const std::function<void(BlobType, const Id&, const Location&)>& see) const;
  const Section& section(BlobType type) const { return sections_[size_t(type)]; }
  std::span<const Id> packs() const { return packs_; }
  /// How many there are, also before they are sorted.
  size_t size() const { return own_[0].size() + own_[1].size(); }

 private:
  /// A pack that is not there has no name: reading it finds nothing.
  Location location(const Entry& entry) const {
    return {entry.pack < packs_.size() ? packs_[entry.pack] : Id(), entry.offset, entry.length,
            entry.plain_length};
  }

  std::array<std::vector<Entry>, 2> own_{};
  std::array<std::vector<uint64_t>, 2> own_fences_{};
  std::array<std::vector<uint16_t>, 2> own_tags_{};
  std::vector<Id> own_packs_;
  std::array<Section, 2> sections_{};
  std::span<const Id> packs_;
};

}  // namespace holdfast::repo
