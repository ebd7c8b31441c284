/// Oracle of locations: what they say of the bucket was tried, and they say no more than that.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/sim/model.h>

#include <map>
#include <optional>

namespace holdfast::sim {

/// Writes that a location's controller goes on with for ever, one for each try: it says when it
/// looked, and nothing else has changed. Whoever waits for quiet does not wait for them.
class Beats {
 public:
  explicit Beats(const History& history) : history_(history) {}
  /// Whether the commit is one of them: no two of an object come within a minute.
  bool is_one(const Commit& commit, MonoTime now);

 private:
  const History& history_;
  std::map<kube::Key, MonoTime> last_{};
};

/// `untrue` if it is said of a moment that the bucket answered, and it was away then, since
/// `away`, and is still.
std::optional<Violation> judge_location(const History& history, const Commit& commit,
                                        std::optional<WallTime> away);

}  // namespace holdfast::sim
