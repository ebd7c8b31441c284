#include "around/retries.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::blob {

using std::chrono::milliseconds;

bool Retries::again(const Error& failure) {
  if (failure.fault() != Fault::Unavailable || waiting_.stop.stop_requested()) return false;
  const auto half = uint64_t(std::max<int64_t>(pause_.count() / 2, 1));
  const milliseconds pause(int64_t(half + waiting_.random.below(half + 1)));
  if (waiting_.clock.mono() - began_ + pause > policy_.give_up) return false;
  if (policy_.said) {
    policy_.said(
        fmt::format("{} (next try in {:.1f} s)", failure.what(), double(pause.count()) / 1000));
  }
  waiting_.sleep(pause, waiting_.stop);
  pause_ = std::min(pause_ * 2, policy_.longest);
  return !waiting_.stop.stop_requested();
}

}  // namespace holdfast::blob
