/// Threads for calls that wait: a bounded number, each for one errand.
#pragma once

#include <holdfast/base/mutex.h>

#include <functional>
#include <list>
#include <stop_token>
#include <thread>

namespace holdfast::apiserver {

class Crew {
 public:
  using Errand = std::function<void(std::stop_token)>;

  explicit Crew(size_t most) : most_(most) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { stop(); }

  /// False: all are busy, or it is stopped.
  bool send(Errand errand);
  /// Asks all to end, and waits for them.
  void stop();

 private:
  struct One {
    std::jthread thread{};
    bool over = false;
  };
  void reap() HF_REQUIRES(mutex_);

  const size_t most_;
  Mutex mutex_;
  bool stopped_ HF_GUARDED_BY(mutex_) = false;
  std::list<One> all_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::apiserver
