#include "websocket/talks.h"

#include <algorithm>

namespace holdfast::net {

Talks::~Talks() {
  stop("the server is gone");
  join(std::chrono::milliseconds(0));
}

std::shared_ptr<void> Talks::seat(const std::string& user) {
  const Lock lock(mutex_);
  if (stopped_ || taken_ >= most_) return nullptr;
  if (!user.empty()) {
    size_t& own = of_users_[user];
    if (own >= std::max<size_t>(most_ / 4, 1)) return nullptr;
    ++own;
  }
  ++taken_;
  return {this, [user](void* talks) { static_cast<Talks*>(talks)->give_back(user); }};
}

void Talks::give_back(const std::string& user) {
  const Lock lock(mutex_);
  --taken_;
  const auto own = of_users_.find(user);
  if (own != of_users_.end() && --own->second == 0) of_users_.erase(own);
}

/// A thread cannot wait for its own end: those that are over are collected by who comes next.
void Talks::reap() {
  for (auto at = all_.begin(); at != all_.end();) {
    if (at->over) {
      at->thread.join();
      at = all_.erase(at);
    } else {
      ++at;
    }
  }
}

void Talks::begin(std::shared_ptr<void> seat, Talk talk, std::shared_ptr<WebSocket> socket,
                  Ends ends) {
  const Lock lock(mutex_);
  reap();
  if (stopped_) return;
  One& one = all_.emplace_back(One{std::move(socket), ends.cut});
  one.thread = std::thread([this, &one, seat = std::move(seat), talk = std::move(talk),
                            ends = std::move(ends)]() mutable {
    run(one, std::exchange(talk, nullptr), std::exchange(ends, {}));
    seat.reset();
    const Lock over_lock(mutex_);
    one.over = true;
    changed_.notify_all();
  });
}

void Talks::run(One& one, const Talk& talk, const Ends& ends) {
  std::shared_ptr<WebSocket> socket;
  {
    const Lock lock(mutex_);
    socket = one.socket;
  }
  talk(socket);
  if (ends.finish) ends.finish();
  const Lock lock(mutex_);
  one.socket = nullptr;
  one.cut = nullptr;
}

void Talks::stop(std::string_view reason) {
  const Lock lock(mutex_);
  stopped_ = true;
  for (One& one : all_)
    if (one.socket) one.socket->close(WebSocket::kGoingAway, reason);
}

void Talks::join(std::chrono::milliseconds grace) {
  const MonoTime end = clock_.mono() + grace;
  const Lock lock(mutex_);
  for (bool late = false;;) {
    reap();
    if (all_.empty()) return;
    const MonoTime left = end - clock_.mono();
    if (left <= MonoTime(0) && !late) {
      late = true;
      for (One& one : all_)
        if (one.cut) one.cut();
    }
    if (late)
      changed_.wait(mutex_);
    else
      changed_.wait_for(mutex_, left);
  }
}

}  // namespace holdfast::net
