/// Steps of an operation as its status shows them, with times and what went wrong.
///
/// A driver's step is its own struct, since its names in JSON are its own; it has `name`, `error`,
/// `started_at`, `finished_at` and a `state` with the words Pending, Started, Completed, Error and
/// Skipped. A run has the steps `running` and `last`, and the times `started` and `stopped`.
#pragma once

#include <holdfast/model/time.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::protect {

template <class Step>
using StateOf = decltype(Step::state);

/// All steps of that name: what runs in several pods stands there once for each.
template <class Step>
void tell_step(std::vector<Step>& steps, std::string_view name, StateOf<Step> state,
               const std::string& error, WallTime now) {
  const std::string time = model::to_rfc3339_micro(now);
  for (Step& each : steps) {
    if (each.name != name) continue;
    each.state = state;
    each.error = error;
    if (each.started_at.empty()) each.started_at = time;
    if (state == StateOf<Step>::Completed || state == StateOf<Step>::Error) each.finished_at = time;
  }
}

/// What was under way ends so, what was to come is left out.
template <class Step>
void end_steps(std::vector<Step>& steps, StateOf<Step> state, const std::string& message,
               WallTime now) {
  using State = StateOf<Step>;
  for (Step& each : steps) {
    if (each.state == State::Started) {
      each.state = state;
      each.finished_at = model::to_rfc3339_micro(now);
      if (state == State::Error && each.error.empty()) each.error = message;
    } else if (each.state == State::Pending) {
      each.state = State::Skipped;
    }
  }
  // What was refused before its first step has failed at that.
  if (state == State::Error && !steps.empty() && steps.front().state == State::Skipped) {
    steps.front().state = State::Error;
    steps.front().error = message;
  }
}

/// The run is over: its steps are the last ones now.
template <class Run, class State>
void end_run(Run& run, State state, const std::string& message, WallTime now) {
  end_steps(run.running, state, message, now);
  run.last = std::exchange(run.running, {});
  run.stopped = model::to_rfc3339(now);
}

}  // namespace holdfast::protect
