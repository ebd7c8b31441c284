#include "store/announcer.h"

namespace holdfast::apiserver::storage {

uint64_t Announcer::add(Call listener) {
  Lock lock(mutex_);
  listeners_.emplace(++last_id_, std::make_shared<const Call>(std::move(listener)));
  return last_id_;
}

void Announcer::remove(uint64_t id) {
  std::shared_ptr<const Call> gone;  // destroyed outside the lock: what it holds may call back
  Lock lock(mutex_);
  const auto at = listeners_.find(id);
  if (at == listeners_.end()) return;
  gone = std::move(at->second);
  listeners_.erase(at);
  while (calling_ == id && runner_ != std::this_thread::get_id()) quiet_.wait(mutex_);
}

void Announcer::queue(Call call) {
  Lock lock(mutex_);
  calls_.push_back(std::move(call));
}

void Announcer::queue_listeners() {
  Lock lock(mutex_);
  advanced_ = true;
}

uint64_t Announcer::call_next(uint64_t id) {
  const auto at = listeners_.upper_bound(id);
  if (at == listeners_.end()) return 0;
  calling_ = at->first;
  id = at->first;
  std::shared_ptr<const Call> listener = at->second;
  mutex_.unlock();
  (*listener)();
  listener.reset();
  mutex_.lock();
  calling_ = 0;
  quiet_.notify_all();
  return id;
}

void Announcer::run() {
  Lock lock(mutex_);
  if (running_) return;
  running_ = true;
  runner_ = std::this_thread::get_id();
  while (!calls_.empty() || advanced_) {
    while (!calls_.empty()) {
      Call call = std::move(calls_.front());
      calls_.pop_front();
      mutex_.unlock();
      call();
      call = nullptr;
      mutex_.lock();
    }
    if (!advanced_) continue;
    advanced_ = false;
    for (uint64_t id = call_next(0); id != 0;) id = call_next(id);
  }
  running_ = false;
}

}  // namespace holdfast::apiserver::storage
