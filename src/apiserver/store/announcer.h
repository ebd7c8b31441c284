/// Calls to the outside that follow an advance of durable(): held replies in the order of their
/// revisions, then the listeners. They run outside the store's lock and on one thread at a time: a
/// thread that finds another at it leaves its calls to that one, so a listener that writes does not
/// recurse.
#pragma once

#include <holdfast/base/mutex.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <thread>

namespace holdfast::apiserver::storage {

class Announcer {
 public:
  using Call = std::function<void()>;

  uint64_t add(Call listener);
  /// When this returns the listener is not running, unless it is the caller.
  void remove(uint64_t id);

  void queue(Call call);
  void queue_listeners();
  /// Runs what is queued until nothing is, or leaves it to the thread that does.
  void run();

 private:
  /// One listener after `id`, outside the lock; its id, or 0 if there is none.
  uint64_t call_next(uint64_t id) HF_REQUIRES(mutex_);

  Mutex mutex_;
  CondVar quiet_;
  std::deque<Call> calls_ HF_GUARDED_BY(mutex_);
  bool advanced_ HF_GUARDED_BY(mutex_) = false;
  bool running_ HF_GUARDED_BY(mutex_) = false;
  std::thread::id runner_ HF_GUARDED_BY(mutex_);
  uint64_t calling_ HF_GUARDED_BY(mutex_) = 0;
  uint64_t last_id_ HF_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::shared_ptr<const Call>> listeners_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::apiserver::storage
