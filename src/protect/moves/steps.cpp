#include "moves/steps.h"

#include <holdfast/kube/typed.h>

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

control::Write set_limits(const MoveSeen& seen) {
  model::Value limits = nullptr;
  if (seen.move.spec.limits)
    model::field_type<DataMove::Limits>().encode(&*seen.move.spec.limits, limits);
  return control::patch(kube::resource_of<Mover>(), seen.mover_object->object,
                        model::Object{{"spec", model::Object{{"limits", std::move(limits)}}}},
                        control::Decides::No);
}

std::optional<Outcome> give_place_up(const MoveSeen& seen) {
  if (!seen.mover_object) return std::nullopt;
  const kube::Cached& object = seen.mover_object->object;
  if (object.being_deleted()) return Outcome::wait(std::chrono::seconds(1), "MoverGoing");
  return Outcome::act(control::remove(kube::resource_of<Mover>(), object));
}

}  // namespace holdfast::protect
