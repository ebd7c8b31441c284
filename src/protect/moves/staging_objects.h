/// The writes of the staging, one function per step.
#pragma once

#include <holdfast/control/made_for.h>
#include <holdfast/control/write.h>

#include "moves/plan.h"

namespace holdfast::protect {

/// On everything that belongs to a move, with its uid. On a volume it says that a restore handed it
/// over; nobody who may not write PersistentVolumes can set it.
inline constexpr std::string_view kMoveLabel = "holdfast.dev/data-move";
inline constexpr control::Mark kMoveMark{kMoveLabel, ""};
inline constexpr std::string_view kMoveFinalizer = "holdfast.dev/data-move";

/// Of the claim, snapshot and content beside the location, and of the tenant's snapshot.
std::string staged_name(const MoveSeen& seen);

/// The finalizer goes on, or comes off.
control::Write hold(const MoveSeen& seen);
control::Write let_go(const MoveSeen& seen);
/// The tenant's VolumeSnapshot.
control::Write cut_claim(const MoveSeen& seen);
/// The second content of its handle, and the second snapshot.
control::Write bind_content(const MoveSeen& seen);
control::Write bind_snapshot(const MoveSeen& seen);
/// Our claim.
control::Write create_claim(const MoveSeen& seen);

}  // namespace holdfast::protect
