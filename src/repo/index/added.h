/// Blobs that were added since the index was loaded: claimed first, then stored. 48 bytes each, in
/// many small tables, so that growing one costs little.
#pragma once

#include <holdfast/repo/repository.h>

#include <array>
#include <functional>
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
  struct Slot {
    Id id{};
    uint32_t pack = kFree, offset = 0, length = 0, plain_length = 0;
  };
  struct Table {
    std::vector<Slot> slots{};
    size_t used = 0;
  };
  static constexpr uint32_t kFree = UINT32_MAX, kClaimed = UINT32_MAX - 1;
  static size_t start(const Id& id, size_t slots);
  static size_t find_slot(const Table& table, const Id& id);
  Slot& place(const Id& id);
  Location location(const Slot& slot) const {
    return {packs_[slot.pack], slot.offset, slot.length, slot.plain_length};
  }

  std::array<Table, 256> tables_{};
  std::vector<Id> packs_;
  uint64_t stored_ = 0;
};

}  // namespace holdfast::repo
