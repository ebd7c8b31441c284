/// A set of keys to look at, oldest first, each at most once, with a time before which it is not
/// due.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>

#include "store/store.h"

#include <map>
#include <optional>
#include <set>

namespace holdfast::apiserver {

/// Safe to use from many threads; `add` is called under the store's lock.
class KeyQueue {
 public:
  void add(const Key& key) { add_at(key, MonoTime(0)); }
  void add_at(const Key& key, MonoTime due) {
    const Lock lock(mutex_);
    if (known_.insert(key).second) due_.emplace(due, key);
  }
  std::optional<Key> take(MonoTime now) {
    const Lock lock(mutex_);
    if (due_.empty() || due_.begin()->first > now) return std::nullopt;
    Key key = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    known_.erase(key);
    return key;
  }

 private:
  Mutex mutex_;
  std::multimap<MonoTime, Key> due_ HF_GUARDED_BY(mutex_);
  std::set<Key> known_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::apiserver
