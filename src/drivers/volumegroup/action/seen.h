/// State of a VolumeGroupAction as observed: all that a decision about it needs.
#pragma once

#include <holdfast/control/subject.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/protect/cut/cuts.h>
#include <holdfast/protect/cut/handover.h>
#include <holdfast/protect/cut/owed.h>
#include <holdfast/protect/use_move.h>

#include "members/resolve.h"

namespace holdfast::drivers::volumegroup {

using protect::SnapshotSeen;
using protect::UsedMove;

/// One claim of the run, in the order of status.inputs.claims; of a revert or restore, how far it
/// is handed over.
struct MemberSeen : protect::handover::Seen {
  kube::Cached claim{};  ///< as it is now, if it is the same one
  bool labelled = false;
  std::optional<SnapshotSeen> snapshot{};
  std::optional<UsedMove> move{}, download{};
};

/// A search for a catalogue, in one repository.
struct SearchSeen {
  std::string repository{}, name{};
  std::optional<UsedMove> move{};
};

struct ActionSeen : control::Subject, protect::WindowSeen {
  VolumeGroupAction action{};
  std::vector<std::string> edited{};  ///< fields of the spec that were changed since it began
  bool has_finalizer = false;
  std::string label_key{}, label{};        ///< what is asked for by label
  std::optional<Resolution> resolution{};  ///< until the inputs are recorded
  std::string no_group{};                  ///< why there is no VolumeGroup to resolve
  std::optional<control::OperationRecord> log{};
  bool pods_busy = false;  ///< another run holds one of the pods still
  std::vector<MemberSeen> members{};
  kube::GroupKinds group_kinds{};  ///< as the server has them; the newest if it has none
  std::optional<SnapshotSeen> group_cut{};
  /// Snapshots of a group cut, by claim, once they are known.
  std::map<std::string, protect::MemberCut> group_members{};
  std::optional<UsedMove> catalogue{};   ///< its upload
  std::optional<UsedMove> forgetting{};  ///< of the backup, with this object
  /// For the catalogue of spec.source, in the order in which they are made.
  std::vector<SearchSeen> searches{};
  bool target_allowed = true;  ///< the namespace of a restore
  bool target_going = false;   ///< it is deleted: nothing can be made there
};

}  // namespace holdfast::drivers::volumegroup
