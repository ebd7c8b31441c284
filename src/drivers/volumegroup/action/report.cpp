#include "volumegroup/action/report.h"

#include <holdfast/kube/typed.h>
#include <holdfast/model/status_patch.h>
#include <holdfast/model/time.h>

namespace holdfast::drivers::volumegroup {

ActionReport& ActionReport::condition(std::string_view type, bool value, std::string reason,
                                      std::string message) {
  model::Condition wanted{
      std::string(type), value ? "True" : "False", std::move(reason), std::move(message), "",
      seen_.generation};
  model::set_condition(status_.conditions, std::move(wanted), model::to_rfc3339(seen_.now));
  return *this;
}

ActionReport& ActionReport::drop_condition(std::string_view type) {
  std::erase_if(status_.conditions,
                [&](const model::Condition& each) { return each.type == type; });
  return *this;
}

ActionReport& ActionReport::step(std::string_view name, State state, const std::string& error) {
  const std::string now = model::to_rfc3339_micro(seen_.now);
  for (Step& each : run().running) {
    if (each.name != name) continue;
    each.state = state;
    each.error = error;
    if (each.started_at.empty()) each.started_at = now;
    if (state == State::Completed || state == State::Error) each.finished_at = now;
  }
  return *this;
}

ActionReport& ActionReport::end(State state, const std::string& reason,
                                const std::string& message) {
  const std::string now = model::to_rfc3339(seen_.now);
  RunStatus& over = run();
  for (Step& each : over.running)
    if (each.state == State::Started) {
      each.state = state;
      each.finished_at = model::to_rfc3339_micro(seen_.now);
      if (state == State::Error && each.error.empty()) each.error = message;
    } else if (each.state == State::Pending) {
      each.state = State::Skipped;
    }
  // What was refused before its first step has failed at that.
  if (state == State::Error && !over.running.empty() &&
      over.running.front().state == State::Skipped) {
    over.running.front().state = State::Error;
    over.running.front().error = message;
  }
  over.last = std::move(over.running);
  over.running.clear();
  over.stopped = now;
  const bool restoring = !status_.restoring.empty();
  status_.restoring.clear();
  status_.state = state;
  status_.stopped = now;
  return condition(restoring ? "Restored" : "Completed", state == State::Completed, reason, message)
      .note(state != State::Completed, reason, message);
}

ActionReport& ActionReport::note(bool warning, std::string reason, std::string message) {
  note_ = control::Note{.warning = warning,
                        .reason = std::move(reason),
                        .message = std::move(message),
                        .action = "VolumeGroupAction"};
  return *this;
}

control::Outcome ActionReport::outcome() const {
  control::Write write =
      control::patch(kube::resource_of<VolumeGroupAction>(), seen_.object,
                     model::Object{{"status", model::changed_status(seen_.action, status_)}},
                     control::Decides::No, "status");
  write.note = note_;
  return control::Outcome::act(std::move(write));
}

}  // namespace holdfast::drivers::volumegroup
