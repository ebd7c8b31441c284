/// Clock: the only source of the time. Production passes SystemClock; tests and the simulation pass
/// a ManualClock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace holdfast {

/// Wall-clock time since the Unix epoch, in microseconds: what Kubernetes' MicroTime can say.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
/// Time since an arbitrary start; never goes back, and goes on while the machine sleeps. For
/// deadlines and intervals.
using MonoTime = std::chrono::duration<int64_t, std::micro>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;
  virtual MonoTime mono() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime now() const override;
  MonoTime mono() const override;
};

/// Stands still until told. Safe to read from many threads.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallTime start) : start_(start) {}
  WallTime now() const override {
    return start_ + std::chrono::microseconds(elapsed_.load() + jump_.load());
  }
  MonoTime mono() const override { return MonoTime(elapsed_.load()); }
  void advance(std::chrono::microseconds by) { elapsed_ += by.count(); }
  /// Moves the wall clock only, as an operator's date command or a bad NTP answer would.
  void jump_wall(std::chrono::microseconds by) { jump_ += by.count(); }

 private:
  WallTime start_;
  std::atomic<int64_t> elapsed_{0};
  std::atomic<int64_t> jump_{0};
};

}  // namespace holdfast
