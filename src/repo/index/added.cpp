#include "index/added.h"

namespace holdfast::repo {
namespace {

constexpr size_t kLeast = 16;

}  // namespace

/// The first byte chooses the table, others the slot.
size_t Added::start(const Id& id, size_t slots) {
  uint32_t bits = 0;
  std::memcpy(&bits, id.bytes.data() + 8, sizeof bits);
  return size_t(uint64_t{bits} * slots >> 32);
}

size_t Added::find_slot(const Table& table, const Id& id) {
  size_t at = start(id, table.slots.size());
  while (table.slots[at].pack != kFree && table.slots[at].id != id)
    at = at + 1 == table.slots.size() ? 0 : at + 1;
  return at;
}

Added::Slot& Added::place(const Id& id) {
  Table& table = tables_[id.bytes[0]];
  if (table.used * 5 >= table.slots.size() * 4) {
    Table larger;
    larger.slots.resize(std::max(kLeast, table.slots.size() * 3 / 2));
    larger.used = table.used;
    for (const Slot& slot : table.slots)
      if (slot.pack != kFree) larger.slots[find_slot(larger, slot.id)] = slot;
    table = std::move(larger);
  }
  Slot& slot = table.slots[find_slot(table, id)];
  if (slot.pack != kFree) return slot;
  ++table.used;
  slot.id = id;
  slot.pack = kClaimed;
  slot.length = 0;
  return slot;
}

bool Added::claim(const Id& id) {
  const size_t before = tables_[id.bytes[0]].used;
  place(id);
  return tables_[id.bytes[0]].used > before;
}

uint32_t Added::number(const Id& pack) {
  packs_.push_back(pack);
  return uint32_t(packs_.size() - 1);
}

void Added::store(const Id& id, uint32_t pack, uint32_t offset, uint32_t length,
                  uint32_t plain_length) {
  Slot& slot = place(id);
  if (slot.pack == kClaimed) ++stored_;
  slot = {id, pack, offset, length, plain_length};
}

std::optional<Location> Added::find(const Id& id) const {
  const Table& table = tables_[id.bytes[0]];
  if (table.slots.empty()) return {};
  const Slot& slot = table.slots[find_slot(table, id)];
  if (slot.pack == kFree || slot.pack == kClaimed) return {};
  return location(slot);
}

void Added::each(const std::function<void(const Id&, const Location&)>& see) const {
  for (const Table& table : tables_)
    for (const Slot& slot : table.slots)
      if (slot.pack != kFree && slot.pack != kClaimed) see(slot.id, location(slot));
}

}  // namespace holdfast::repo
