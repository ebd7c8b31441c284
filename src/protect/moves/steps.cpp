#include "moves/steps.h"

namespace holdfast::protect {

using control::Outcome;

Outcome fail(const MoveSeen& seen, const std::string& reason, const std::string& message) {
  return Report(seen)
      .end(DataMove::Phase::Failed)
      .condition("Completed", false, reason, message)
      .outcome();
}

Outcome stop(const MoverSeen& mover) {
  return Outcome::act(control::remove(kube::kPods, mover.pod));
}

}  // namespace holdfast::protect
