/// State of the store in RAM: the objects of every resource, and a ring of the most recent changes.
///
/// The ring is one queue for the whole store (bounded by count and bytes), filed by resource, so
/// that a watch of a quiet resource need not walk the changes of a busy one. It is also what failed
/// commits are undone from, and what lists at an older revision are made of.
#pragma once

#include "store/shelf.h"
#include "store/store.h"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver::storage {

/// A change without its key: that is in the object.
struct Slot {
  Revision revision = 0;
  ChangeType type = ChangeType::Added;
  StoredPtr object;
  StoredPtr before;
};

struct Collection {
  std::string name;
  Shelf objects;
  std::deque<Slot> ring;
  Revision dropped = 0;  ///< changes up to here are not in `ring` (but may be in the log)
};

struct RingLimits {
  size_t count = 16384;
  size_t bytes = 16u << 20;  ///< of the versions that only the ring keeps alive
};

/// Not safe for several threads by itself: the engine's lock guards it.
class State {
 public:
  /// Changes up to `start` happened before; the ring knows none of them.
  State(RingLimits limits, Revision start) : limits_(limits), start_(start), dropped_(start) {}

  Collection& resource(const std::string& name);
  const Collection* find(std::string_view name) const;
  const std::map<std::string, Collection, std::less<>>& resources() const { return resources_; }

  void apply(Collection& resource, Slot slot);
  /// Takes the newest change back and returns its reverse. There must be one.
  Change undo();
  Revision newest() const;
  /// Drops changes beyond the limits, oldest first, but none after `upto`.
  void trim(Revision upto);
  /// Drops the changes up to `upto`.
  void drop(Revision upto);
  /// The changes up to here are not in the ring any more.
  Revision dropped() const { return dropped_; }
  /// The same for one resource, also for one that was never heard of.
  Revision dropped(std::string_view resource) const;
  /// When the oldest change in the ring was made, and its revision; 0 if there is none.
  std::pair<Revision, int64_t> oldest_change() const;

 private:
  void drop_oldest();

  RingLimits limits_;
  Revision start_, dropped_;
  std::map<std::string, Collection, std::less<>> resources_;
  std::deque<Collection*> order_;  ///< whose ring holds the next change, oldest first
  size_t bytes_ = 0;
};

Change change_of(const Collection& resource, const Slot& slot);
/// The first slot after `revision`.
std::deque<Slot>::const_iterator first_after(const Collection& resource, Revision revision);
/// The page of the newest state; `range.at` is not looked at.
Page page_of(const Collection& resource, const Range& range);
/// Where the range begins and ends.
std::pair<Shelf::Place, Shelf::Place> bounds(const Shelf& objects, const Range& range);

}  // namespace holdfast::apiserver::storage
