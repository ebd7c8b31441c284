/// The objects of one resource in the order in which Kubernetes lists them: as the text
/// "namespace/name", so that namespace "a-b" comes before "a". A pointer per object in blocks of
/// bounded size: lean, quick to walk, and the rank of an object is known without walking (a page
/// says how many remain).
#pragma once

#include "store/store.h"

#include <string_view>
#include <vector>

namespace holdfast::apiserver::storage {

/// <0, 0, >0 in listing order.
int compare_keys(std::string_view ns_a, std::string_view name_a, std::string_view ns_b,
                 std::string_view name_b);

/// Not safe for several threads by itself.
class Shelf {
 public:
  /// A place between objects; `block` is the number of blocks at the end.
  struct Place {
    size_t block = 0, slot = 0;
  };

  StoredPtr find(std::string_view ns, std::string_view name) const;
  /// Puts the object at its key, in the place of the one that is there.
  void put(StoredPtr object);
  void erase(std::string_view ns, std::string_view name);
  /// `objects` in listing order, each key once.
  void fill(std::vector<StoredPtr> objects);

  size_t size() const { return size_; }
  Place begin() const { return {}; }
  Place end() const { return {blocks_.size(), 0}; }
  /// The first object whose key is not before this one.
  Place lower(std::string_view ns, std::string_view name) const;
  /// The first object after all of namespace `ns`.
  Place after_namespace(std::string_view ns) const;
  /// How many objects stand before `place`.
  size_t rank(Place place) const;
  /// Appends up to `count` objects from `place` on; returns the place after them.
  Place take(Place place, size_t count, std::vector<StoredPtr>& out) const;
  const StoredPtr& at(Place place) const { return blocks_[place.block][place.slot]; }

 private:
  template <class Before>
  Place partition(Before before) const;

  std::vector<std::vector<StoredPtr>> blocks_;  // none is empty
  size_t size_ = 0;
};

}  // namespace holdfast::apiserver::storage
