/// Mutex whose data is annotated as guarded, so that clang's thread-safety analysis (preset
/// `clang`) proves it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define HF_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define HF_THREAD_ATTRIBUTE(x)
#endif
#define HF_GUARDED_BY(m) HF_THREAD_ATTRIBUTE(guarded_by(m))
#define HF_REQUIRES(...) HF_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define HF_EXCLUDES(...) HF_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

namespace holdfast {

class HF_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() HF_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() HF_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class HF_THREAD_ATTRIBUTE(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) HF_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~Lock() HF_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

/// Waits are always in a loop on the condition; wake-ups may be spurious.
class CondVar {
 public:
  void wait(Mutex& mutex) HF_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    cond_.wait(held);
    held.release();
  }
  void wait_for(Mutex& mutex, std::chrono::microseconds limit) HF_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    cond_.wait_for(held, limit);
    held.release();
  }
  void notify_one() { cond_.notify_one(); }
  void notify_all() { cond_.notify_all(); }

 private:
  std::condition_variable cond_;
};

}  // namespace holdfast
