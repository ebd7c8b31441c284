/// An ordered set in short sorted arrays: 8 bytes of table for an 8-byte entry, neighbours beside
/// each other, and no insertion moves more than one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace holdfast::kube {

/// `Order` is a three-way comparison, also of an entry with whatever is looked for.
template <class T, class Order>
class Shelves {
 public:
  /// From entries in order, without repeats.
  void fill(const std::vector<T>& sorted) {
    shelves_.clear();
    shelves_.reserve((sorted.size() + kFilled - 1) / kFilled);
    for (size_t i = 0; i < sorted.size(); i += kFilled)
      shelves_.emplace_back(sorted.begin() + ptrdiff_t(i),
                            sorted.begin() + ptrdiff_t(std::min(i + kFilled, sorted.size())));
    size_ = sorted.size();
  }

  /// The entry that compares equal, or null. Valid until the next change.
  template <class K>
  const T* find(const K& key) const {
    const Place at = lower_bound(key);
    const T* const entry = get(at);
    return entry != nullptr && Order()(*entry, key) == 0 ? entry : nullptr;
  }

  /// Puts it in; an entry that compares equal is replaced.
  void put(T entry) {
    if (shelves_.empty()) shelves_.emplace_back();
    Place at = lower_bound(entry);
    if (at.shelf == shelves_.size()) at = {at.shelf - 1, shelves_.back().size()};
    std::vector<T>& shelf = shelves_[at.shelf];
    if (at.slot < shelf.size() && Order()(shelf[at.slot], entry) == 0) {
      shelf[at.slot] = std::move(entry);
      return;
    }
    shelf.insert(shelf.begin() + ptrdiff_t(at.slot), std::move(entry));
    ++size_;
    if (shelf.size() > kLongest) split(at.shelf);
  }

  template <class K>
  void erase(const K& key) {
    const Place at = lower_bound(key);
    const T* const entry = get(at);
    if (entry == nullptr || Order()(*entry, key) != 0) return;
    std::vector<T>& shelf = shelves_[at.shelf];
    shelf.erase(shelf.begin() + ptrdiff_t(at.slot));
    --size_;
    if (shelf.empty()) shelves_.erase(shelves_.begin() + ptrdiff_t(at.shelf));
  }

  /// Every entry from the first that is not less than `key` on, until `each` returns false.
  template <class K, class Each>
  void from(const K& key, Each each) const {
    Place at = lower_bound(key);
    for (; at.shelf < shelves_.size(); ++at.shelf, at.slot = 0)
      for (; at.slot < shelves_[at.shelf].size(); ++at.slot)
        if (!each(shelves_[at.shelf][at.slot])) return;
  }

  template <class Each>
  void all(Each each) const {
    for (const auto& shelf : shelves_)
      for (const T& entry : shelf) each(entry);
  }

  size_t size() const { return size_; }
  size_t memory() const {
    size_t bytes = shelves_.capacity() * sizeof(std::vector<T>);
    for (const auto& shelf : shelves_) bytes += shelf.capacity() * sizeof(T);
    return bytes;
  }

 private:
  static constexpr size_t kLongest = 256, kFilled = 192;
  struct Place {
    size_t shelf = 0, slot = 0;
  };

  template <class K>
  Place lower_bound(const K& key) const {
    // No shelf is empty for long: the last entry tells whether the key lies behind it.
    const auto shelf = std::partition_point(
        shelves_.begin(), shelves_.end(),
        [&](const std::vector<T>& each) { return !each.empty() && Order()(each.back(), key) < 0; });
    if (shelf == shelves_.end()) return {shelves_.size(), 0};
    const auto slot = std::partition_point(shelf->begin(), shelf->end(),
                                           [&](const T& each) { return Order()(each, key) < 0; });
    return {size_t(shelf - shelves_.begin()), size_t(slot - shelf->begin())};
  }

  const T* get(Place at) const {
    return at.shelf < shelves_.size() && at.slot < shelves_[at.shelf].size()
               ? &shelves_[at.shelf][at.slot]
               : nullptr;
  }

  void split(size_t index) {
    std::vector<T>& full = shelves_[index];
    // Names often arrive in order; what follows the last shelf then finds it nearly full.
    const size_t keep = index + 1 == shelves_.size() ? kFilled : full.size() / 2;
    const auto middle = full.begin() + ptrdiff_t(keep);
    std::vector<T> upper(std::make_move_iterator(middle), std::make_move_iterator(full.end()));
    full.erase(middle, full.end());
    full.shrink_to_fit();
    shelves_.insert(shelves_.begin() + ptrdiff_t(index) + 1, std::move(upper));
  }

  std::vector<std::vector<T>> shelves_;
  size_t size_ = 0;
};

}  // namespace holdfast::kube
