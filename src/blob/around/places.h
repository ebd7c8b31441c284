/// Counting semaphore with a limit that can change.
#pragma once

#include <holdfast/base/mutex.h>

#include <atomic>
#include <stop_token>

namespace holdfast::blob {

/// Safe to use from many threads.
class Places {
 public:
  void take(const std::atomic<int>& limit, const std::stop_token& stop) {
    const Lock lock(mutex_);
    // A raised limit rings no bell: look again now and then.
    while (limit > 0 && taken_ >= limit && !stop.stop_requested())
      freed_.wait_for(mutex_, std::chrono::milliseconds(100));
    ++taken_;
  }
  void give_back() {
    const Lock lock(mutex_);
    --taken_;
    freed_.notify_one();
  }

 private:
  Mutex mutex_;
  CondVar freed_;
  int taken_ HF_GUARDED_BY(mutex_) = 0;
};

/// One place, from here to the end of the scope.
class Place {
 public:
  Place(Places& places, const std::atomic<int>& limit, const std::stop_token& stop)
      : places_(places) {
    places_.take(limit, stop);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { places_.give_back(); }

 private:
  Places& places_;
};

}  // namespace holdfast::blob
