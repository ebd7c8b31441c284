/// Writes for a VolumeGroup.
#pragma once

#include "group/plan.h"

namespace holdfast::drivers::volumegroup {

/// Only if it still is what was seen.
control::Outcome remove_label(const GroupSeen& seen,
                              std::optional<control::Note> note = std::nullopt);
/// The one that status.running names.
control::Outcome create_action(const GroupSeen& seen);

}  // namespace holdfast::drivers::volumegroup
