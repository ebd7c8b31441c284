/// Contact with the API server: whether requests are answered, and since when they are not.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::control {

/// Safe to use from many threads.
class Contact {
 public:
  void answered() {
    const Lock lock(mutex_);
    silent_since_.reset();
  }
  void unanswered(MonoTime now, std::string_view why) {
    const Lock lock(mutex_);
    if (!silent_since_) silent_since_ = now;
    why_ = why;
  }
  /// Nothing while requests are answered; one that was lost is none.
  std::optional<std::string> trouble(MonoTime now) const {
    const Lock lock(mutex_);
    if (!silent_since_ || now - *silent_since_ < kGrace) return {};
    const auto silent = std::chrono::duration_cast<std::chrono::seconds>(now - *silent_since_);
    return fmt::format("no answer for {} s: {}", silent.count(), why_);
  }

 private:
  static constexpr MonoTime kGrace = std::chrono::seconds(10);
  mutable Mutex mutex_;
  std::optional<MonoTime> silent_since_ HF_GUARDED_BY(mutex_){};
  std::string why_ HF_GUARDED_BY(mutex_){};
};

}  // namespace holdfast::control
