#include <holdfast/model/time.h>
#include <holdfast/protect/steps.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

void end_steps(std::vector<Step>& steps, RunState state, const std::string& message, WallTime now) {
  for (Step& each : steps) {
    if (each.state == RunState::Started) {
      each.state = state;
      each.finished_at = model::to_rfc3339_micro(now);
      if (state == RunState::Error && each.error.empty()) each.error = message;
    } else if (each.state == RunState::Pending) {
      each.state = RunState::Skipped;
    }
  }
  // What was refused before its first step has failed at that.
  if (state == RunState::Error && !steps.empty() && steps.front().state == RunState::Skipped) {
    steps.front().state = RunState::Error;
    steps.front().error = message;
  }
}

}  // namespace

void tell_step(std::vector<Step>& steps, std::string_view name, RunState state,
               const std::string& error, WallTime now) {
  const std::string time = model::to_rfc3339_micro(now);
  for (Step& each : steps) {
    if (each.name != name) continue;
    each.state = state;
    each.error = error;
    if (each.started_at.empty()) each.started_at = time;
    if (state == RunState::Completed || state == RunState::Error) each.finished_at = time;
  }
}

bool has_begun(const RunStatus& run, std::string_view name) {
  const auto begun = [name](const Step& each) {
    return each.name == name && each.state != RunState::Pending && each.state != RunState::Skipped;
  };
  return std::any_of(run.running.begin(), run.running.end(), begun) ||
         std::any_of(run.last.begin(), run.last.end(), begun);
}

void end_run(RunStatus& run, RunState state, const std::string& message, WallTime now) {
  end_steps(run.running, state, message, now);
  run.last = std::exchange(run.running, {});
  run.stopped = model::to_rfc3339(now);
}

}  // namespace holdfast::protect
