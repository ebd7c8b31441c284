/// The clients that must not notice anything: one that asks all the time, one that watches, and
/// those whose writes make the events.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/net/client.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace holdfast::campaign {

inline constexpr std::string_view kBusyMaps = "/api/v1/namespaces/busy/configmaps";
/// Each has one writer.
inline constexpr size_t kBusyObjects = 8;

/// Asks one thing after the other until destroyed.
class GoodClient {
 public:
  GoodClient(net::Client& client, const Clock& clock);
  size_t answered() const { return answered_; }
  std::chrono::milliseconds longest() const { return std::chrono::milliseconds(longest_); }
  /// What was not answered as it should be; "" if all was.
  std::string complaint();

 private:
  void run(const std::stop_token& stop);

  net::Client& client_;
  const Clock& clock_;
  std::atomic<size_t> answered_{0};
  std::atomic<int64_t> longest_{0};
  Mutex mutex_;
  std::string complaint_ HF_GUARDED_BY(mutex_);
  std::jthread thread_;
};

/// Counts the events of the busy maps: one for each that is there, then one per write.
class GoodWatcher {
 public:
  explicit GoodWatcher(net::Client& client);
  size_t seen() const { return seen_; }
  bool ended() const { return ended_; }

 private:
  net::Client& client_;
  std::atomic<size_t> seen_{0};
  std::atomic<bool> ended_{false};
  std::jthread thread_;
};

Result<void> prepare_busy(net::Client& client);
/// Makes that many events, from several threads.
Result<void> write_events(net::Client& client, size_t count);

}  // namespace holdfast::campaign
