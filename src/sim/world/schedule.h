/// Schedule: a seeded choice among the actors that have something to do. When nobody has, virtual
/// time jumps to the moment when somebody will.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::sim {

class Actor {
 public:
  virtual ~Actor() = default;
  virtual std::string_view name() const = 0;
  /// When it next has something to do (earlier than now counts as now); nullopt: not before
  /// another actor does something. Called often: must cost next to nothing.
  virtual std::optional<MonoTime> due() = 0;
  /// One step. It may let others move in the midst of it (Schedule::yield); it is never entered
  /// twice at once.
  virtual void step() = 0;

 private:
  friend class Schedule;
  bool moving_ = false;
};

/// Steps nest: a call that waits runs the others on top of the waiting one's stack, as deep as
/// kDeepest. What waits below goes on no earlier than what runs above it.
class Schedule {
 public:
  Schedule(ManualClock& clock, Random& random) : clock_(clock), random_(random) {}

  void add(Actor& actor) { actors_.push_back(&actor); }
  void remove(const Actor& actor);

  /// Lets one actor that is due make a step; false if none is.
  bool step();
  /// The earliest moment at which somebody is due.
  std::optional<MonoTime> next_due() const;
  /// Moves time there, but not past `limit`; false if nobody will be due by then (time is then
  /// `limit`).
  bool jump(MonoTime limit);
  /// In the midst of a step: perhaps others move first. Time stands still meanwhile, unless they
  /// wait.
  void yield();
  /// In the midst of a step: others move until then.
  void wait_until(MonoTime then);

  /// The time that a request takes on its way: a millisecond or two.
  void spend_on_request();

  /// True: what is under way is to end, so nobody else moves on top of it.
  void set_unwinding(std::function<bool()> unwinding) { unwinding_ = std::move(unwinding); }
  MonoTime now() const { return clock_.mono(); }
  bool nested() const { return depth_ > 1; }
  uint64_t steps() const { return steps_; }
  /// Takes note of every step; for traces.
  void set_observer(std::function<void(const Actor&)> observer) { observer_ = std::move(observer); }

 private:
  static constexpr int kDeepest = 4;
  bool may_nest() const { return depth_ < kDeepest && !(unwinding_ && unwinding_()); }

  ManualClock& clock_;
  Random& random_;
  std::vector<Actor*> actors_;
  std::vector<Actor*> due_;
  std::function<bool()> unwinding_;
  std::function<void(const Actor&)> observer_;
  int depth_ = 0;
  uint64_t steps_ = 0;
};

}  // namespace holdfast::sim
