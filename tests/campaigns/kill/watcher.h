/// A watch that lives through every kill: it goes on from the last resourceVersion it saw, as an
/// informer does, and keeps every line it got.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/net/client.h>

#include "kill/world.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::campaign {

/// The way to the server: open while it runs, closed from just before the kill to the next ready.
class Link {
 public:
  struct Way {
    std::shared_ptr<net::Client> client;  ///< null: stopped
    uint64_t number = 0;
  };
  void open(std::shared_ptr<net::Client> client);
  void close();
  /// Waits until it is open.
  Way wait(const std::stop_token& stop);
  /// True if that way is still open.
  bool holds(const Way& way);

 private:
  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<net::Client> client_ HF_GUARDED_BY(mutex_);
  uint64_t number_ HF_GUARDED_BY(mutex_) = 0;
};

class Watcher {
 public:
  struct Settings {
    const Kind& kind;
    int64_t from = 0;
    std::string owner = {};  ///< only this writer's objects, by label; "" = all
    bool restless = false;   ///< hangs up now and then by itself, and resumes
    uint64_t seed = 0;
  };
  Watcher(Link& link, Settings settings);

  const Settings& settings() const { return settings_; }
  /// Waits until `count` lines are there, or `limit` has passed; then hands over all there are.
  std::vector<std::string> take(size_t count, std::chrono::seconds limit);
  /// What went wrong since the last call: 410, ERROR, a watch that ended while the server ran.
  std::optional<std::string> take_defect();
  int64_t newest();

 private:
  void run(const std::stop_token& stop);
  void follow(const Link::Way& way, const std::stop_token& stop);
  bool receive(std::string_view bytes);
  std::string target();
  void fail(std::string what);

  Link& link_;
  const Settings settings_;
  SeededRandom random_;
  std::string partial_;  ///< a line whose end has not come
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> lines_ HF_GUARDED_BY(mutex_);
  int64_t newest_ HF_GUARDED_BY(mutex_);
  std::optional<std::string> defect_ HF_GUARDED_BY(mutex_);
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace holdfast::campaign
