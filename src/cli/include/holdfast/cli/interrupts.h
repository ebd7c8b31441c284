/// Signals that end a run in order: locks are given back, nothing half-done is reported as done.
#pragma once

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

namespace holdfast::cli {

/// Blocks the signals for this thread and all that it starts. The first one asks to stop; the
/// second ends the process at once.
class Interrupts {
 public:
  /// `said` is told at the first signal.
  explicit Interrupts(std::string said = "ending in order; the same signal again ends at once");
  ~Interrupts();
  std::stop_token token() const { return source_.get_token(); }
  bool seen() const { return seen_; }

 private:
  void wait();
  const std::string said_;
  std::stop_source source_;
  std::atomic<bool> seen_{false};
  std::thread thread_;
};

}  // namespace holdfast::cli
