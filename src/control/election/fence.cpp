// Fence: the time until which writes may start. What it cannot promise stands in docs/design/0009.
#include <holdfast/control/elector.h>
#include <holdfast/control/sabotage.h>

namespace holdfast::control {

struct Fence::State {
  Mutex mutex{};
  bool always HF_GUARDED_BY(mutex) = false;
  MonoTime until HF_GUARDED_BY(mutex) = MonoTime::min();
  int64_t epoch HF_GUARDED_BY(mutex) = 0;
};

Fence::Fence() : state_(std::make_shared<State>()) {}

Fence Fence::open() {
  Fence fence;
  const Lock lock(fence.state_->mutex);
  fence.state_->always = true;
  return fence;
}

Fence::Permit Fence::ask(MonoTime now, std::chrono::microseconds limit) const {
  const Lock lock(state_->mutex);
  const bool granted = state_->always || now + limit < state_->until || sabotage().no_fence;
  return {granted, state_->epoch};
}

void Fence::move(MonoTime until, int64_t epoch) {
  const Lock lock(state_->mutex);
  state_->until = until;
  state_->epoch = epoch;
}

void Fence::close() {
  const Lock lock(state_->mutex);
  state_->always = false;
  state_->until = MonoTime::min();
}

}  // namespace holdfast::control
