/// Back-off between failed tries, as client-go makes it.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>

#include <algorithm>

namespace holdfast::kube {

/// 800 ms, doubling to `longest`, each made up to twice as long by chance, so that what fell
/// together does not come back together. Two minutes without a pause start it over.
class Backoff {
 public:
  explicit Backoff(MonoTime longest) : longest_(longest) {}
  MonoTime next(MonoTime now, Random& random) {
    if (last_ && now - *last_ > kForget) pause_ = kFirst;
    last_ = now;
    const MonoTime pause = pause_;
    pause_ = std::min<MonoTime>(pause_ * 2, longest_);
    return pause + MonoTime(int64_t(random.below(uint64_t(pause.count()))));
  }

 private:
  static constexpr MonoTime kFirst = std::chrono::milliseconds(800);
  static constexpr MonoTime kForget = std::chrono::seconds(120);
  const MonoTime longest_;
  MonoTime pause_ = kFirst;
  std::optional<MonoTime> last_;
};

}  // namespace holdfast::kube
