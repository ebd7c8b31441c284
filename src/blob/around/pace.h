/// Rate limiter: bytes per second, shared by many transfers.
///
///   free_at: when the bytes let through so far will have had their time. Bytes that come earlier
///   wait; those that are let through move it on by n / rate, so that the average holds whatever
///   the sizes are.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>

#include <algorithm>

namespace holdfast::blob {

/// Safe to use from many threads.
class Pace {
 public:
  /// 0 lets the bytes through; more is how long to wait before asking again. `rate` is bytes per
  /// second, 0 = no limit.
  std::chrono::milliseconds ask(uint64_t bytes, uint64_t rate, MonoTime now) {
    const Lock lock(mutex_);
    if (rate == 0) free_at_ = now;
    // In short steps: a limit that is lifted meanwhile lets us go.
    if (free_at_ > now)
      return std::min(std::chrono::ceil<std::chrono::milliseconds>(free_at_ - now), kLongest);
    charge_from(now, bytes, rate);
    return std::chrono::milliseconds(0);
  }
  /// How long it is until the next bytes may go, if the rate stays.
  std::chrono::milliseconds debt(MonoTime now) {
    const Lock lock(mutex_);
    return std::chrono::ceil<std::chrono::milliseconds>(std::max(free_at_ - now, MonoTime(0)));
  }
  /// For what has come already: those after it wait.
  void charge(uint64_t bytes, uint64_t rate, MonoTime now) {
    const Lock lock(mutex_);
    charge_from(std::max(now, free_at_), bytes, rate);
  }

 private:
  static constexpr std::chrono::milliseconds kLongest{200};

  void charge_from(MonoTime begin, uint64_t bytes, uint64_t rate) HF_REQUIRES(mutex_) {
    const double seconds = rate == 0 ? 0 : double(bytes) / double(rate);
    free_at_ = begin + MonoTime(int64_t(seconds * 1e6));
  }

  Mutex mutex_;
  MonoTime free_at_ HF_GUARDED_BY(mutex_){0};
};

}  // namespace holdfast::blob
