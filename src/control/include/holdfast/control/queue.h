/// The work queue: a key is in it once, never with two workers, higher priority first.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/kube/cached.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace holdfast::control {

inline constexpr int kNormalPriority = 0;
/// Of what the first list and replays bring: real changes overtake it.
inline constexpr int kLowPriority = -100;

/// Passive: whoever waits does so outside. Safe to use from many threads.
///   add while queued         the higher priority and the earlier time win
///   add while being worked   remembered; queued again by done()
///   retry                    5 ms, doubling per key, at most 1000 s; forget() starts over
class Queue {
 public:
  void add(const kube::Key& key, MonoTime now, int priority = kNormalPriority);
  void add_after(const kube::Key& key, MonoTime now, std::chrono::microseconds delay,
                 int priority = kNormalPriority);
  /// Queues it after its back-off and returns that.
  std::chrono::microseconds retry(const kube::Key& key, MonoTime now);
  void forget(const kube::Key& key);
  int retries(const kube::Key& key) const;

  struct Work {
    kube::Key key{};
    int priority = kNormalPriority;
    MonoTime queued{};  ///< since when it was ready
  };
  /// The next key that is ready, now being worked on.
  std::optional<Work> take(MonoTime now);
  /// All keys that are ready, in the order take() would give them; for the simulation's choices.
  std::vector<kube::Key> ready(MonoTime now) const;
  std::optional<Work> take(const kube::Key& key, MonoTime now);
  void done(const kube::Key& key, MonoTime now);

  /// When the earliest delayed key becomes ready; now or earlier if one is.
  std::optional<MonoTime> due() const;
  size_t depth() const;
  size_t working() const;
  /// Called, outside the lock, after anything that may have made a key ready.
  void set_waker(std::function<void()> waker);

 private:
  struct Item {
    int priority = kNormalPriority;
    MonoTime ready{};
    uint64_t order = 0;
  };
  // … chosen by the implementation
  mutable Mutex mutex_;
};

}  // namespace holdfast::control
