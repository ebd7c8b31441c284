/// Steps of a window in the status of a run: those that are planned, and how they went.
#pragma once

#include <holdfast/protect/cut/window.h>
#include <holdfast/protect/steps.h>

namespace holdfast::protect {

/// The profile, the pre actions, `snapshot` and the post actions, all pending.
std::vector<Step> window_steps(const Quiescing& how);

/// Of `steps`, which begin with those that window_steps planned for `how`: how the window's went.
/// What ran in several pods stands there once for each, what did not run is skipped.
void tell_window(std::vector<Step>& steps, const Quiescing& how, const WindowResult& window);

}  // namespace holdfast::protect
