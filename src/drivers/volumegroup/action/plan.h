/// What a VolumeGroupAction needs next. Pure.
///
///   "" → Pending → Started → Completed | Error          the run: window → owed posts → upload
///   Completed | Error → Restoring → Completed | Error   by label, any number of times
#pragma once

#include <holdfast/control/outcome.h>

#include "action/seen.h"

namespace holdfast::drivers::volumegroup {

struct Decision {
  /// Effects outside the server; otherwise `outcome`.
  enum class Do { Nothing, Window, Release, CheckLog } what = Do::Nothing;
  control::Outcome outcome{};
  int64_t attempt = 1;  ///< of Release and CheckLog
};

Decision plan_action(const ActionSeen& seen, const GroupSettings& settings);

/// Targets of commands that are still owed.
std::vector<protect::QuiesceTarget> owed_targets(const VolumeGroupAction::Status& status);

}  // namespace holdfast::drivers::volumegroup
