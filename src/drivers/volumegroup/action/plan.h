/// Plan of a VolumeGroupAction: its next step. Pure.
///
///   "" → Pending → Started → Completed | Error          the run: window → owed posts → upload
///   Completed | Error → Restoring → Completed | Error   by label, any number of times
#pragma once

#include <holdfast/control/outcome.h>

#include "action/seen.h"

namespace holdfast::drivers::volumegroup {

/// Asks for `window`, `release` and `log` by name: the controller has the hands.
control::Outcome plan_action(const ActionSeen& seen, const GroupSettings& settings);

}  // namespace holdfast::drivers::volumegroup
