#include "index/table.h"

#include <algorithm>

namespace holdfast::repo {
namespace {

uint64_t beginning(const Id& id) {
  uint64_t out = 0;
  for (size_t i = 0; i < 8; ++i) out = out << 8 | id.bytes[i];
  return out;
}

}  // namespace

void IndexTable::add(const IndexedPack& pack) {
  const auto number = uint32_t(packs_.size());
  packs_.push_back(pack.id);
  for (const PackedBlob& blob : pack.blobs)
    entries_[size_t(blob.type)].push_back(
        {blob.id, number, blob.offset, blob.length, blob.plain_length});
}

void IndexTable::sort() {
  for (std::vector<Entry>& entries : entries_) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.id != b.id ? a.id < b.id : a.pack < b.pack;
    });
    entries.shrink_to_fit();
  }
}

std::optional<Location> IndexTable::find(BlobType type, const Id& id) const {
  const std::optional<size_t> found = position(type, id);
  if (!found) return {};
  return location_at(type, *found);
}

std::optional<size_t> IndexTable::position(BlobType type, const Id& id) const {
  const std::vector<Entry>& entries = entries_[size_t(type)];
  size_t low = 0, high = entries.size();
  const uint64_t wanted = beginning(id);
  // Two guesses narrow millions to a few dozen; halving does the rest, also for ids made to
  // mislead.
  for (int guess = 0; guess < 2 && high - low > 64; ++guess) {
    const uint64_t first = beginning(entries[low].id), last = beginning(entries[high - 1].id);
    if (wanted < first || wanted > last) return {};
    const double share = double(wanted - first) / (double(last - first) + 1);
    const auto at = low + size_t(share * double(high - low - 1));
    const size_t reach = 16 + (high - low) / 64;
    const size_t from = at > low + reach ? at - reach : low;
    const size_t to = std::min(at + reach, high);
    if (from > low && !(entries[from - 1].id < id)) {
      high = from;
    } else if (to < high && entries[to].id < id) {
      low = to;
    } else {
      low = from;
      high = to < high ? to + 1 : high;
    }
  }
  const auto begin = entries.begin() + int64_t(low), end = entries.begin() + int64_t(high);
  const auto found = std::lower_bound(
      begin, end, id, [](const Entry& entry, const Id& wanted_id) { return entry.id < wanted_id; });
  if (found == end || found->id != id) return {};
  return size_t(found - entries.begin());
}

void IndexTable::each(const std::function<void(BlobType, const Id&, const Location&)>& see) const {
  for (const BlobType type : {BlobType::Data, BlobType::Tree})
    for (const Entry& entry : entries_[size_t(type)]) see(type, entry.id, location(entry));
}

}  // namespace holdfast::repo
