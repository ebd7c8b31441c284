/// One incarnation of an operator: the real runtime with the real controllers, stepped by the
/// schedule instead of threads.
#pragma once

#include <holdfast/control/runtime.h>
#include <holdfast/protect/driver.h>

#include "operators/feed.h"
#include "operators/network.h"
#include "world/bucket.h"
#include "world/containers.h"
#include "world/schedule.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::sim {

/// The clock on the wall of one machine: it may be wrong, its monotonic hand is not.
class SlotClock final : public Clock {
 public:
  explicit SlotClock(const ManualClock& world) : world_(world) {}
  WallTime now() const override { return world_.now() + jumped_; }
  MonoTime mono() const override { return world_.mono(); }
  void jump(MonoTime by) { jumped_ += by; }

 private:
  const ManualClock& world_;
  std::chrono::microseconds jumped_{0};
};

/// What every incarnation is made from.
struct Build {
  std::vector<control::ControllerSpec> controllers{};
  bool elects = false;
  /// Their controllers reach outside the server; each process makes them for its own way there.
  std::vector<protect::Driver> drivers{};
  protect::DriverSettings settings{};
};

class Process {
 public:
  Process(Life life, const Build& build, const Clock& clock, const ManualClock& world,
          Network& network, Schedule& schedule, Containers& containers, Bucket& bucket,
          uint64_t seed);
  ~Process();

  Life& life() { return life_; }
  control::Runtime& runtime() { return *runtime_; }
  const std::vector<std::unique_ptr<Feed>>& feeds() const { return feeds_; }
  /// Nothing to reconcile and nothing on the way: it waits for the world to change.
  bool idle() const;
  /// Every key of every controller once more, as if all had just changed.
  void look_at_everything();

 private:
  void cast();
  void wait(std::chrono::milliseconds pause);

  Life life_;
  const ManualClock& world_;
  Network& network_;
  Schedule& schedule_;
  SeededRandom random_, choices_;
  Wire wire_;
  std::unique_ptr<blob::Store> bucket_;  ///< that of every location
  std::unique_ptr<protect::Surroundings> around_{};
  std::vector<kube::Scope> subjects_;  ///< what the keys of each controller name
  std::unique_ptr<control::Runtime> runtime_;
  std::vector<std::unique_ptr<Feed>> feeds_;
  std::vector<std::unique_ptr<Actor>> actors_;
};

}  // namespace holdfast::sim
