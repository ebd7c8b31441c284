#include "index/table.h"

#include <algorithm>
#include <cmath>

namespace holdfast::repo {
namespace {

/// Of the first fence that is not below `wanted`. Where ids are as good as chance, it stands within
/// a few roots of their number of where it should; for ids made to mislead, all are searched.
size_t first_not_below(std::span<const uint64_t> fences, uint64_t wanted) {
  const size_t all = fences.size();
  const double count = double(all);
  const auto guess = std::min(all, size_t(double(wanted) / 0x1p64 * count));
  const size_t reach = 16 + size_t(2 * std::sqrt(count));
  size_t from = guess > reach ? guess - reach : 0, to = std::min(guess + reach, all);
  if (from > 0 && fences[from - 1] >= wanted) from = 0;
  if (to < all && fences[to] < wanted) to = all;
  const auto begin = fences.begin();
  return size_t(std::lower_bound(begin + int64_t(from), begin + int64_t(to), wanted) - begin);
}

}  // namespace

uint64_t IndexTable::beginning(const Id& id) {
  uint64_t out = 0;
  for (size_t i = 0; i < 8; ++i) out = out << 8 | id.bytes[i];
  return out;
}

void IndexTable::add(const IndexedPack& pack) {
  const auto number = uint32_t(own_packs_.size());
  own_packs_.push_back(pack.id);
  packs_ = own_packs_;
  for (const PackedBlob& blob : pack.blobs)
    own_[size_t(blob.type)].push_back(
        {blob.id, number, blob.offset, blob.length, blob.plain_length});
}

void IndexTable::sort() {
  for (size_t type = 0; type < 2; ++type) {
    std::vector<Entry>& entries = own_[type];
    std::sort(entries.begin(), entries.end());
    entries.shrink_to_fit();
    own_fences_[type].clear();
    for (size_t at = 0; at < entries.size(); at += kFenceEvery)
      own_fences_[type].push_back(beginning(entries[at].id));
    own_tags_[type].clear();
    own_tags_[type].reserve(entries.size());
    for (const Entry& entry : entries) own_tags_[type].push_back(tag(entry.id));
    sections_[type] = {entries, own_fences_[type], own_tags_[type]};
  }
}

std::optional<Location> IndexTable::find(BlobType type, const Id& id) const {
  const std::optional<size_t> found = position(type, id);
  if (!found) return {};
  return location_at(type, *found);
}

std::optional<size_t> IndexTable::position(BlobType type, const Id& id) const {
  const auto& [entries, fences, tags] = section(type);
  const uint64_t wanted = beginning(id);
  const size_t fence = first_not_below(fences, wanted);
  // Fences may be equal to what is wanted though the rest of their ids is less.
  size_t after = fence;
  while (after < fences.size() && fences[after] == wanted) ++after;
  const size_t end = std::min(after * kFenceEvery, entries.size());
  for (size_t at = fence == 0 ? 0 : (fence - 1) * kFenceEvery; at < end; ++at)
    if (tags[at] == tag(id) && entries[at].id == id) return at;
  return {};
}

void IndexTable::each(const std::function<void(BlobType, const Id&, const Location&)>& see) const {
  for (const BlobType type : {BlobType::Data, BlobType::Tree})
    for (const Entry& entry : section(type).entries) see(type, entry.id, location(entry));
}

}  // namespace holdfast::repo
