/// Back-off: the pauses between tries of what may be Unavailable.
#pragma once

#include <holdfast/blob/around.h>

namespace holdfast::blob {

/// The tries of one operation. Pauses grow twofold from `first` to `longest`, each drawn from its
/// upper half, so that many who failed together do not come back together.
class Retries {
 public:
  Retries(const RetryPolicy& policy, const Waiting& waiting)
      : policy_(policy), waiting_(waiting), began_(waiting.clock.mono()), pause_(policy.first) {}

  /// Whether to try once more, after the pause that was due.
  bool again(const Error& failure);

 private:
  const RetryPolicy& policy_;
  const Waiting& waiting_;
  const MonoTime began_;
  std::chrono::milliseconds pause_;
};

/// Runs `work` until it succeeds, fails for good, or time is up.
template <class Work>
auto with_retries(const RetryPolicy& policy, const Waiting& waiting, const Work& work) {
  Retries retries(policy, waiting);
  for (;;) {
    auto done = work();
    if (done || !retries.again(done.error())) return done;
  }
}

}  // namespace holdfast::blob
