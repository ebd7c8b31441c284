/// State of a DataMove as observed: read from the caches, and from the server where a watch would
/// hold far more than the few objects of moves under way.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/protect/controllers.h>

#include "moves/mover_pod.h"

namespace holdfast::protect {

/// Pods and volumes by the uid of the move that their label names.
inline constexpr std::string_view kByMove = "data-move";

/// An Error if the server could not be asked, or if the object is not a DataMove.
Result<MoveSeen> observe_move(control::Pass& pass, const kube::Cached& object,
                              const MoverSettings& settings);

}  // namespace holdfast::protect
