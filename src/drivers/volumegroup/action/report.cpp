#include "action/report.h"

#include <holdfast/model/time.h>
#include <holdfast/protect/steps.h>

namespace holdfast::drivers::volumegroup {

ActionReport& ActionReport::step(std::string_view name, State state, const std::string& error) {
  protect::tell_step(run().running, name, state, error, now());
  return *this;
}

ActionReport& ActionReport::end(State state, const std::string& reason,
                                const std::string& message) {
  protect::end_run(run(), state, message, now());
  const bool restoring = !status().restoring.empty();
  status().restoring.clear();
  status().state = state;
  status().stopped = model::to_rfc3339(now());
  return condition(restoring ? "Restored" : "Completed", state == State::Completed, reason, message)
      .note(state != State::Completed, reason, message);
}

}  // namespace holdfast::drivers::volumegroup
