#include "nodes/log_body.h"

#include <utility>

namespace holdfast::apiserver {
namespace {

constexpr size_t kHeld = size_t(128) << 10;

}  // namespace

bool LogPipe::put(std::string_view bytes) {
  {
    const Lock lock(mutex_);
    while (!abandoned_ && held_.size() >= kHeld) taken_.wait(mutex_);
    if (abandoned_) return false;
    held_ += bytes;
  }
  wake();
  return true;
}

void LogPipe::finish() {
  {
    const Lock lock(mutex_);
    finished_ = true;
  }
  wake();
}

net::BodyStream::State LogPipe::take(std::string& out) {
  const Lock lock(mutex_);
  out += held_;
  held_.clear();
  taken_.notify_all();
  return finished_ ? net::BodyStream::State::End : net::BodyStream::State::Idle;
}

void LogPipe::abandon() {
  {
    const Lock lock(mutex_);
    abandoned_ = true;
    waker_ = nullptr;
    taken_.notify_all();
  }
  gone_.request_stop();
}

void LogPipe::set_waker(std::function<void()> waker) {
  const Lock lock(mutex_);
  waker_ = std::move(waker);
}

/// Outside of the lock: who is woken may read at once.
void LogPipe::wake() {
  std::function<void()> waker;
  {
    const Lock lock(mutex_);
    waker = waker_;
  }
  if (waker) waker();
}

}  // namespace holdfast::apiserver
