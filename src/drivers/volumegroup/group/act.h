/// What is written for a VolumeGroup.
#pragma once

#include "volumegroup/group/plan.h"

namespace holdfast::drivers::volumegroup {

control::Outcome report(const GroupSeen& seen, VolumeGroup::Status status,
                        std::optional<control::Note> note = std::nullopt);
/// Only if it still is what was seen.
control::Outcome remove_label(const GroupSeen& seen,
                              std::optional<control::Note> note = std::nullopt);
/// With all that it made: a backup is to leave the repository with its action.
control::Outcome retire(const PointSeen& point);
/// The one that status.running names.
control::Outcome create_action(const GroupSeen& seen);

}  // namespace holdfast::drivers::volumegroup
