#include "nodes/crew.h"

#include <utility>

namespace holdfast::apiserver {

void Crew::reap() {
  std::erase_if(all_, [](const One& one) { return one.over; });
}

bool Crew::send(Errand errand) {
  const Lock lock(mutex_);
  reap();
  if (stopped_ || all_.size() >= most_) return false;
  One& one = all_.emplace_back();
  one.thread = std::jthread([this, &one, errand = std::move(errand)](std::stop_token stop) mutable {
    std::exchange(errand, nullptr)(std::move(stop));
    const Lock over_lock(mutex_);
    one.over = true;
  });
  return true;
}

void Crew::stop() {
  std::list<One> ending;
  {
    const Lock lock(mutex_);
    stopped_ = true;
    for (One& one : all_) one.thread.request_stop();
    ending.splice(ending.end(), all_);
  }
}

}  // namespace holdfast::apiserver
