/// Talks: the WebSocket conversations of one server, each on a thread of its own.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/net/websocket.h>

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>

namespace holdfast::net {

class Talks {
 public:
  explicit Talks(size_t most) : most_(most) {}
  Talks(const Talks&) = delete;
  Talks& operator=(const Talks&) = delete;
  /// As stop() and join().
  ~Talks();

  /// The right to begin one, given back by dropping it. Null: there are too many, a quarter of all
  /// are that user's, or it is stopped. "": no user, and no such bound.
  std::shared_ptr<void> seat(const std::string& user);
  /// `finish` runs after the talk, in its thread; `cut`, from another, makes it end at once.
  struct Ends {
    std::function<void()> finish{};
    std::function<void()> cut{};
  };
  void begin(std::shared_ptr<void> seat, Talk talk, std::shared_ptr<WebSocket> socket, Ends ends);
  size_t size() const { return taken_; }

  /// Closes all that are under way and lets no more begin.
  void stop(std::string_view reason);
  /// Waits for the ends of all, at most `grace` for what the peers have to say.
  void join(std::chrono::milliseconds grace);

 private:
  struct One {
    std::shared_ptr<WebSocket> socket;
    std::function<void()> cut;
    std::thread thread{};
    bool over = false;
  };
  void run(One& one, const Talk& talk, const Ends& ends);
  void reap() HF_REQUIRES(mutex_);
  void give_back(const std::string& user);

  const size_t most_;
  const SystemClock clock_{};
  std::atomic<size_t> taken_{0};
  mutable Mutex mutex_;
  CondVar changed_;
  bool stopped_ HF_GUARDED_BY(mutex_) = false;
  std::map<std::string, size_t> of_users_ HF_GUARDED_BY(mutex_);
  std::list<One> all_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::net
