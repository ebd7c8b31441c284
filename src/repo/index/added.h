/// Blobs that were added since the index was loaded: claimed first, then stored. 48 bytes each, in
/// blocks that stay where they are, and a number of 4 bytes in one of many small hash tables, so
/// that growing one costs little: a million blobs take 58 MB.
#pragma once

#include <holdfast/repo/repository.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace holdfast::repo {

/// Not safe to use from several threads at once.
class Added {
 public:
  /// True if nobody has claimed it before.
  bool claim(const Id& id);
  /// Where it is, from now on; claimed or not.
  void store(const Id& id, uint32_t pack, uint32_t offset, uint32_t length, uint32_t plain_length);
  /// A number for a pack that blobs are stored in.
  uint32_t number(const Id& pack);

  /// Nothing if it is not stored, even if it is claimed.
  std::optional<Location> find(const Id& id) const;
  uint64_t stored() const { return stored_; }
  void each(const std::function<void(const Id&, const Location&)>& see) const;

 private:
  struct Entry {
    Id id{};
    uint32_t pack = kClaimed, offset = 0, length = 0, plain_length = 0;
  };
  struct Table {
    std::vector<uint32_t> slots{};  ///< numbers of entries from 1 on; 0 = free
    size_t used = 0;
  };
  static constexpr uint32_t kClaimed = UINT32_MAX;
  static constexpr size_t kBlock = 1024;
  Entry& entry(uint32_t number) { return blocks_[(number - 1) / kBlock][(number - 1) % kBlock]; }
  const Entry& entry(uint32_t number) const {
    return blocks_[(number - 1) / kBlock][(number - 1) % kBlock];
  }
  /// Where the id's number is, or belongs.
  size_t find_slot(const Table& table, const Id& id) const;
  void grow(Table& table) const;
  Entry& place(const Id& id);
  Location location(const Entry& of) const {
    return {packs_[of.pack], of.offset, of.length, of.plain_length};
  }

  std::vector<std::unique_ptr<Entry[]>> blocks_;
  uint32_t entries_ = 0;
  std::array<Table, 256> tables_{};
  std::vector<Id> packs_;
  uint64_t stored_ = 0;
};

}  // namespace holdfast::repo
