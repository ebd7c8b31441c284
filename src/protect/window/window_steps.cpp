#include <holdfast/protect/cut/window_steps.h>

namespace holdfast::protect {
namespace {

constexpr const char* kCut = "snapshot";

Step step_of(const QuiesceStep& told) {
  return {.name = told.name,
          .error = told.error,
          .started_at = told.started_at,
          .finished_at = told.finished_at,
          .pod = told.pod,
          .state = told.state == "Completed" ? RunState::Completed : RunState::Error};
}

Step cut_step(const WindowResult& window) {
  const bool good = window.reason.empty();
  const RunState bad = window.cut_asked_at.empty() ? RunState::Skipped : RunState::Error;
  return {.name = kCut,
          .error = good ? "" : window.message,
          .started_at = window.cut_asked_at,
          .finished_at = window.cut_seen_at,
          .pod = "",
          .state = good ? RunState::Completed : bad};
}

}  // namespace

std::vector<Step> window_steps(const Quiescing& how) {
  std::vector<Step> out;
  const auto add = [&out](const std::string& name) { out.push_back({.name = name}); };
  if (!how.profile.empty()) add(how.profile);
  for (const QuiesceAction& each : how.pre_actions) add(each.name);
  add(kCut);
  for (const QuiesceAction& each : how.post_actions) add(each.name);
  return out;
}

void tell_window(std::vector<Step>& steps, const Quiescing& how, const WindowResult& window) {
  const size_t planned = std::min(window_steps(how).size(), steps.size());
  const bool died = window.reason == kInterrupted;
  std::vector<Step> out;
  for (size_t i = 0; i < planned; ++i) {
    const size_t before = out.size();
    for (const QuiesceStep& each : window.steps)
      if (each.name == steps[i].name) out.push_back(step_of(each));
    if (out.size() > before) continue;
    if (steps[i].name == kCut && !died) {
      out.push_back(cut_step(window));
    } else {
      // Nobody knows how far a dead operator came: what may have begun was not skipped.
      steps[i].state = died ? RunState::Error : RunState::Skipped;
      if (died) steps[i].error = window.message;
      out.push_back(std::move(steps[i]));
    }
  }
  out.insert(out.end(), std::make_move_iterator(steps.begin() + ptrdiff_t(planned)),
             std::make_move_iterator(steps.end()));
  steps = std::move(out);
}

}  // namespace holdfast::protect
