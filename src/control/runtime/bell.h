/// Bell: wakes threads that wait for work. A ring between looking and sleeping is not missed:
///   const uint64_t seen = bell.rings();  if (!work()) bell.wait(seen, limit);
#pragma once

#include <holdfast/base/mutex.h>

#include <chrono>
#include <cstdint>

namespace holdfast::control {

class Bell {
 public:
  uint64_t rings() const {
    const Lock lock(mutex_);
    return rings_;
  }
  void ring() {
    {
      const Lock lock(mutex_);
      ++rings_;
    }
    rung_.notify_all();
  }
  /// Returns at once if it rang since `seen`; else after the next ring, or `limit`, or by chance.
  void wait(uint64_t seen, std::chrono::microseconds limit) {
    const Lock lock(mutex_);
    if (rings_ == seen && limit.count() > 0) rung_.wait_for(mutex_, limit);
  }
  /// However long that takes, or by chance.
  void wait(uint64_t seen) {
    const Lock lock(mutex_);
    if (rings_ == seen) rung_.wait(mutex_);
  }

 private:
  mutable Mutex mutex_;
  CondVar rung_;
  uint64_t rings_ HF_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::control
