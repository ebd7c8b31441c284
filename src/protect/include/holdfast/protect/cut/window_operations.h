/// Operations of a window as its controller gives them to the loop: the window itself, and each try
/// of the post actions that it left owed.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/protect/cut/window.h>

namespace holdfast::protect {

/// Whether the container is still the one that was made to hold still.
bool still_there(control::Pass& pass, const CutInputs& inputs, const QuiesceTarget& target);

/// The window of a run; `metric` is the first part of its metrics' names. Begun once: what an
/// operator that died in it left is let go by what stands in the containers, and the run ends.
void set_window(control::Operation& operation, WindowTask task, const Outside& outside,
                std::string metric, control::Metrics::Labels labels);
/// One more try of what is owed; after `limit` it begins no more commands.
void set_release(control::Operation& operation, control::Pass& pass, const CutInputs& inputs,
                 const std::vector<Owed>& owed, const Outside& outside,
                 std::chrono::milliseconds limit);

}  // namespace holdfast::protect
