#include "index/added.h"

#include <cstring>

namespace holdfast::repo {
namespace {

constexpr size_t kLeast = 16;

/// The first byte chooses the table, others the slot.
size_t start(const Id& id, size_t slots) {
  uint32_t bits = 0;
  std::memcpy(&bits, id.bytes.data() + 8, sizeof bits);
  return size_t(uint64_t{bits} * slots >> 32);
}

}  // namespace

size_t Added::find_slot(const Table& table, const Id& id) const {
  size_t at = start(id, table.slots.size());
  while (table.slots[at] != 0 && entry(table.slots[at]).id != id)
    at = at + 1 == table.slots.size() ? 0 : at + 1;
  return at;
}

void Added::grow(Table& table) const {
  Table larger{.slots = std::vector<uint32_t>(std::max(kLeast, table.slots.size() * 3 / 2)),
               .used = table.used};
  for (const uint32_t number : table.slots)
    if (number != 0) larger.slots[find_slot(larger, entry(number).id)] = number;
  table = std::move(larger);
}

Added::Entry& Added::place(const Id& id) {
  Table& table = tables_[id.bytes[0]];
  if (table.used * 5 >= table.slots.size() * 4) grow(table);
  uint32_t& slot = table.slots[find_slot(table, id)];
  if (slot != 0) return entry(slot);
  if (entries_ % kBlock == 0) blocks_.push_back(std::make_unique<Entry[]>(kBlock));
  slot = ++entries_;
  ++table.used;
  Entry& fresh = entry(slot);
  fresh.id = id;
  return fresh;
}

bool Added::claim(const Id& id) {
  const uint32_t before = entries_;
  place(id);
  return entries_ > before;
}

uint32_t Added::number(const Id& pack) {
  packs_.push_back(pack);
  return uint32_t(packs_.size() - 1);
}

void Added::store(const Id& id, uint32_t pack, uint32_t offset, uint32_t length,
                  uint32_t plain_length) {
  Entry& of = place(id);
  if (of.pack == kClaimed) ++stored_;
  of = {id, pack, offset, length, plain_length};
}

std::optional<Location> Added::find(const Id& id) const {
  const Table& table = tables_[id.bytes[0]];
  if (table.slots.empty()) return {};
  const uint32_t number = table.slots[find_slot(table, id)];
  if (number == 0 || entry(number).pack == kClaimed) return {};
  return location(entry(number));
}

void Added::each(const std::function<void(const Id&, const Location&)>& see) const {
  for (uint32_t number = 1; number <= entries_; ++number)
    if (entry(number).pack != kClaimed) see(entry(number).id, location(entry(number)));
}

}  // namespace holdfast::repo
