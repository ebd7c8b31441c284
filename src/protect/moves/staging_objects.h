/// What a step of the staging writes.
#pragma once

#include <holdfast/control/made_for.h>
#include <holdfast/control/outcome.h>

#include "moves/plan.h"

namespace holdfast::protect {

/// On everything that belongs to a move, with its uid. On a volume it says that a restore handed it
/// over; nobody who may not write PersistentVolumes can set it.
inline constexpr std::string_view kMoveLabel = "holdfast.dev/data-move";
inline constexpr control::Mark kMoveMark{kMoveLabel, ""};
inline constexpr std::string_view kMoveFinalizer = "holdfast.dev/data-move";
/// On a volume: the reclaim policy it had.
inline constexpr std::string_view kFirstPolicy = "holdfast.dev/reclaim-policy";

/// Of the claim, snapshot and content beside the location, and of the tenant's snapshot.
std::string staged_name(const MoveSeen& seen);

/// Wait, Ready and Fail write nothing and must not be given.
control::Write stage_write(const MoveSeen& seen, StageStep::Kind kind);

}  // namespace holdfast::protect
