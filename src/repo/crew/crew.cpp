#include "crew/crew.h"

namespace holdfast::repo {
namespace {

/// Enough to keep everybody busy; more would be memory for nothing.
constexpr size_t kMostWaiting = 32;

}  // namespace

Crew::Crew(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Crew::~Crew() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  room_.notify_all();
}

void Crew::give(Task task) {
  {
    const Lock lock(mutex_);
    while (tasks_.size() >= kMostWaiting && !stopping_) room_.wait(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Crew::give_later(Task task) {
  {
    const Lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Crew::give_urgent(Task task) {
  {
    const Lock lock(mutex_);
    urgent_.push_back(std::move(task));
  }
  changed_.notify_one();
}

bool Crew::help(Hands& hands, size_t at_least) {
  Task task;
  {
    const Lock lock(mutex_);
    if (urgent_.empty() || urgent_.size() < at_least) return false;
    task = std::move(urgent_.front());
    urgent_.pop_front();
  }
  task(hands);
  return true;
}

void Crew::work() {
  Hands hands;
  for (;;) {
    Task task;
    {
      const Lock lock(mutex_);
      while (urgent_.empty() && tasks_.empty() && !stopping_) changed_.wait(mutex_);
      if (stopping_) return;
      std::deque<Task>& from = urgent_.empty() ? tasks_ : urgent_;
      task = std::move(from.front());
      from.pop_front();
    }
    room_.notify_one();
    task(hands);
  }
}

std::optional<std::string> Buffers::try_take() {
  const Lock lock(mutex_);
  if (lent_ >= most_) return {};
  ++lent_;
  if (idle_.empty()) return std::string(usual_, '\0');
  std::string buffer = std::move(idle_.back());
  idle_.pop_back();
  return buffer;
}

void Buffers::give_back(std::string buffer) {
  {
    const Lock lock(mutex_);
    --lent_;
    // One that had to grow for an uncommonly long chunk does not stay so.
    if (buffer.size() <= usual_) idle_.push_back(std::move(buffer));
  }
  returned_.notify_one();
}

void Buffers::wait() {
  const Lock lock(mutex_);
  if (lent_ >= most_) returned_.wait_for(mutex_, std::chrono::milliseconds(5));
}

}  // namespace holdfast::repo
