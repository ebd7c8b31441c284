#include "store/shelf.h"

#include <algorithm>

namespace holdfast::apiserver::storage {
namespace {

constexpr size_t kBlock = 256;

/// Compares as if both ended in '/'.
int compare_namespaces(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  const int order = a.substr(0, common).compare(b.substr(0, common));
  if (order != 0 || a.size() == b.size()) return order;
  const auto next = static_cast<unsigned char>(a.size() > common ? a[common] : b[common]);
  const bool longer_first = next < '/';
  return (a.size() > common) == longer_first ? -1 : 1;
}

}  // namespace

int compare_keys(std::string_view ns_a, std::string_view name_a, std::string_view ns_b,
                 std::string_view name_b) {
  const int order = compare_namespaces(ns_a, ns_b);
  return order != 0 ? order : name_a.compare(name_b);
}

/// The first object for which `before` is false; it is true for none after that.
template <class Before>
Shelf::Place Shelf::partition(Before before) const {
  const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const auto& b) { return before(*b.back()); });
  if (block == blocks_.end()) return end();
  const auto slot = std::partition_point(block->begin(), block->end(),
                                         [&](const StoredPtr& o) { return before(*o); });
  return {static_cast<size_t>(block - blocks_.begin()), static_cast<size_t>(slot - block->begin())};
}

Shelf::Place Shelf::lower(std::string_view ns, std::string_view name) const {
  return partition(
      [&](const Stored& o) { return compare_keys(o.meta.ns, o.meta.name, ns, name) < 0; });
}

Shelf::Place Shelf::after_namespace(std::string_view ns) const {
  return partition([&](const Stored& o) { return compare_namespaces(o.meta.ns, ns) <= 0; });
}

StoredPtr Shelf::find(std::string_view ns, std::string_view name) const {
  const Place place = lower(ns, name);
  if (place.block == blocks_.size()) return nullptr;
  const StoredPtr& found = at(place);
  return found->meta.name == name && found->meta.ns == ns ? found : nullptr;
}

void Shelf::put(StoredPtr object) {
  Place place = lower(object->meta.ns, object->meta.name);
  if (place.block == blocks_.size()) {
    if (blocks_.empty()) blocks_.emplace_back();
    place = {blocks_.size() - 1, blocks_.back().size()};
  } else if (StoredPtr& there = blocks_[place.block][place.slot];
             there->meta.name == object->meta.name && there->meta.ns == object->meta.ns) {
    there = std::move(object);
    return;
  }
  auto& block = blocks_[place.block];
  block.insert(block.begin() + static_cast<ptrdiff_t>(place.slot), std::move(object));
  ++size_;
  if (block.size() <= kBlock) return;
  // Names are often made in ascending order: the last block leaves full ones behind it.
  const bool last = place.block + 1 == blocks_.size();
  const auto cut = block.begin() + static_cast<ptrdiff_t>(last ? kBlock : kBlock / 2);
  std::vector<StoredPtr> rest(std::make_move_iterator(cut), std::make_move_iterator(block.end()));
  block.erase(cut, block.end());
  blocks_.insert(blocks_.begin() + static_cast<ptrdiff_t>(place.block) + 1, std::move(rest));
}

void Shelf::erase(std::string_view ns, std::string_view name) {
  if (!find(ns, name)) return;
  const Place place = lower(ns, name);
  auto& block = blocks_[place.block];
  block.erase(block.begin() + static_cast<ptrdiff_t>(place.slot));
  if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(place.block));
  --size_;
}

void Shelf::fill(std::vector<StoredPtr> objects) {
  blocks_.clear();
  size_ = objects.size();
  for (size_t from = 0; from < objects.size(); from += kBlock) {
    const size_t count = std::min(kBlock, objects.size() - from);
    const auto first = std::make_move_iterator(objects.begin() + static_cast<ptrdiff_t>(from));
    blocks_.emplace_back(first, first + static_cast<ptrdiff_t>(count));
  }
}

size_t Shelf::rank(Place place) const {
  size_t before = place.slot;
  for (size_t i = 0; i < place.block; ++i) before += blocks_[i].size();
  return before;
}

Shelf::Place Shelf::take(Place place, size_t count, std::vector<StoredPtr>& out) const {
  while (count > 0 && place.block < blocks_.size()) {
    const auto& block = blocks_[place.block];
    const size_t some = std::min(count, block.size() - place.slot);
    const auto first = block.begin() + static_cast<ptrdiff_t>(place.slot);
    out.insert(out.end(), first, first + static_cast<ptrdiff_t>(some));
    count -= some;
    place.slot += some;
    if (place.slot == block.size()) place = {place.block + 1, 0};
  }
  return place;
}

}  // namespace holdfast::apiserver::storage
