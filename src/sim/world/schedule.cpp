#include "world/schedule.h"

#include <algorithm>

namespace holdfast::sim {

void Schedule::remove(const Actor& actor) { std::erase(actors_, &actor); }

bool Schedule::step() {
  const MonoTime now = clock_.mono();
  due_.clear();
  for (Actor* actor : actors_) {
    if (actor->moving_) continue;
    const std::optional<MonoTime> due = actor->due();
    if (due && *due <= now) due_.push_back(actor);
  }
  if (due_.empty()) return false;
  Actor* chosen = due_[due_.size() == 1 ? 0 : size_t(random_.below(due_.size()))];
  if (observer_) observer_(*chosen);
  ++steps_;
  ++depth_;
  chosen->moving_ = true;
  chosen->step();
  chosen->moving_ = false;
  --depth_;
  return true;
}

std::optional<MonoTime> Schedule::next_due() const {
  std::optional<MonoTime> earliest;
  for (Actor* actor : actors_) {
    if (actor->moving_) continue;
    const std::optional<MonoTime> due = actor->due();
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

bool Schedule::jump(MonoTime limit) {
  const std::optional<MonoTime> next = next_due();
  const MonoTime now = clock_.mono();
  const MonoTime target = std::min(limit, next.value_or(limit));
  if (target > now) clock_.advance(target - now);
  return next && *next <= limit;
}

void Schedule::yield() {
  // Half of all calls are answered at once; the others see one to four steps in between.
  if (!may_nest() || random_.below(2) == 0) return;
  for (uint64_t left = 1 + random_.below(4); left > 0 && may_nest() && step(); --left) {
  }
}

void Schedule::spend_on_request() {
  clock_.advance(std::chrono::microseconds(200 + random_.below(1800)));
}

void Schedule::wait_until(MonoTime then) {
  while (clock_.mono() < then) {
    if (may_nest() && step()) continue;
    if (!may_nest() || !jump(then)) break;
  }
  if (clock_.mono() < then) clock_.advance(then - clock_.mono());
}

}  // namespace holdfast::sim
