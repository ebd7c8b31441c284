/// Detector of keys that write the same object over and over: two writers who disagree, or a plan
/// that never sees its own effect. Many writes to different objects are work, not unrest.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/kube/cached.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

namespace holdfast::control {

class Restlessness {
 public:
  static constexpr int kMostWrites = 1000;
  static constexpr std::chrono::microseconds kWindow = std::chrono::minutes(1);

  /// How often this key has now written `target` since it last rested: within the window, or
  /// for as long as it has been over the limit.
  int wrote(const kube::Key& key, const std::string& target, MonoTime now) {
    const Lock lock(mutex_);
    Streak& streak = streaks_[key];
    const bool over = now - streak.since >= kWindow && streak.most <= kMostWrites;
    if (streak.writes.empty() || over) streak = {now, {}, 0};
    const int count = ++streak.writes[std::hash<std::string>{}(target)];
    streak.most = std::max(streak.most, count);
    return count;
  }
  void rested(const kube::Key& key) {
    const Lock lock(mutex_);
    streaks_.erase(key);
  }

 private:
  struct Streak {
    MonoTime since{};
    std::unordered_map<size_t, int> writes{};
    int most = 0;
  };
  Mutex mutex_;
  std::map<kube::Key, Streak> streaks_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
