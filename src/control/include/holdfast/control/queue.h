/// The work queue: a key is in it once, never with two workers, higher priority first.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/kube/cached.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace holdfast::control {

inline constexpr int kNormalPriority = 0;
/// Of what the first list and replays bring: real changes overtake it.
inline constexpr int kLowPriority = -100;

/// Passive: whoever waits does so outside. Safe to use from many threads.
///   order                    higher priority first, then who has been ready longest
///   add while queued         the higher priority and the earlier time win
///   add while being worked   remembered; queued again by done()
///   retry                    5 ms, doubling per key, at most 1000 s; forget() starts over
class Queue {
 public:
  /// False if the key was queued already.
  bool add(const kube::Key& key, MonoTime now, int priority = kNormalPriority);
  bool add_after(const kube::Key& key, MonoTime now, std::chrono::microseconds delay,
                 int priority = kNormalPriority);
  /// Queues it after its back-off, but no later than `at_most`, or after `at_least` if that is
  /// longer, and returns the delay.
  std::chrono::microseconds retry(const kube::Key& key, MonoTime now,
                                  std::chrono::microseconds at_least = {},
                                  std::chrono::microseconds at_most = std::chrono::seconds(1000));
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
  size_t depth() const;              ///< all that are queued, delayed ones too
  size_t depth(MonoTime now) const;  ///< those that are ready
  /// Called, outside the lock, after anything that may have made a key ready or due earlier.
  void set_waker(std::function<void()> waker);

 private:
  struct Item {
    int priority = kNormalPriority;
    MonoTime ready{};
    uint64_t order = 0;  ///< of arrival, between equals
  };
  using Items = std::map<kube::Key, Item>;
  struct ByPriority {
    bool operator()(const Items::value_type* a, const Items::value_type* b) const;
  };
  struct ByTime {
    bool operator()(const Items::value_type* a, const Items::value_type* b) const;
  };
  using Waker = std::shared_ptr<const std::function<void()>>;

  bool put(const kube::Key& key, Item wanted) HF_REQUIRES(mutex_);
  void link(Items::value_type& entry) HF_REQUIRES(mutex_);
  void unlink(Items::value_type& entry) HF_REQUIRES(mutex_);
  /// Moves what has become ready from `delayed_` to `ready_`.
  void promote(MonoTime now) HF_REQUIRES(mutex_);
  std::optional<Work> take(Items::iterator entry) HF_REQUIRES(mutex_);

  mutable Mutex mutex_;
  Items queued_ HF_GUARDED_BY(mutex_);   ///< each is in `ready_` or in `delayed_`
  Items working_ HF_GUARDED_BY(mutex_);  ///< with how it was taken
  Items again_ HF_GUARDED_BY(mutex_);    ///< added while being worked on
  std::map<kube::Key, int> retries_ HF_GUARDED_BY(mutex_);
  std::set<const Items::value_type*, ByPriority> ready_ HF_GUARDED_BY(mutex_);
  std::set<const Items::value_type*, ByTime> delayed_ HF_GUARDED_BY(mutex_);
  MonoTime promoted_ HF_GUARDED_BY(mutex_){};  ///< what is ready by then is in `ready_`
  uint64_t arrivals_ HF_GUARDED_BY(mutex_) = 0;
  Waker waker_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
