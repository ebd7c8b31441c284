/// Plan of a VolumeGroup: its next step. Pure. It is the only writer of its status, and derives it
/// from the action it made.
///
///   "" → Pending → Started → Completed | Error → (label, or a schedule) → Pending …
#pragma once

#include <holdfast/control/subject.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/protect/retire.h>

namespace holdfast::drivers::volumegroup {

struct GroupSeen : control::Subject {
  VolumeGroup group{};
  std::string label_key{}, label{}, request_id{};
  bool action_there = false;  ///< the one named in status.running
  VolumeGroupAction action{};
  std::vector<protect::PointSeen> snapshots{}, backups{};  ///< actions, for retention
};

control::Outcome plan_group(const GroupSeen& seen);

}  // namespace holdfast::drivers::volumegroup
