/// Finds keys that write the same object over and over: two writers who disagree, or a plan that
/// never sees its own effect. Many writes to different objects are work, not unrest.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/kube/cached.h>

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

namespace holdfast::control {

class Restlessness {
 public:
  static constexpr int kMostWrites = 1000;
  static constexpr std::chrono::microseconds kWindow = std::chrono::minutes(1);

  /// How often this key has now written `target` since it last rested, within the window.
  int wrote(const kube::Key& key, const std::string& target, MonoTime now) {
    const Lock lock(mutex_);
    Streak& streak = streaks_[key];
    if (streak.writes.empty() || now - streak.since >= kWindow) streak = {now, {}};
    return ++streak.writes[std::hash<std::string>{}(target)];
  }
  void rested(const kube::Key& key) {
    const Lock lock(mutex_);
    streaks_.erase(key);
  }

 private:
  struct Streak {
    MonoTime since{};
    std::unordered_map<size_t, int> writes{};
  };
  Mutex mutex_;
  std::map<kube::Key, Streak> streaks_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
