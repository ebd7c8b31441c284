/// All that a decision about a VolumeGroupAction needs, as a plain value.
#pragma once

#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/kube/cached.h>
#include <holdfast/protect/data_move.h>

#include "members/resolve.h"

namespace holdfast::drivers::volumegroup {

struct SnapshotSeen {
  kube::Cached object{};
  bool ready = false, cut = false, deleting = false;
  std::string error{};
};

struct MoveSeen {
  kube::Cached object{};
  protect::DataMove move{};
  bool is_over() const {
    using Phase = protect::DataMove::Phase;
    return move.status.phase == Phase::Completed || move.status.phase == Phase::Failed ||
           move.status.phase == Phase::Canceled;
  }
  bool completed() const { return move.status.phase == protect::DataMove::Phase::Completed; }
  /// Of a move that failed.
  control::Refusal trouble() const;
};

struct ClaimSeen {
  kube::Cached object{};
  std::string volume{}, size{};
  bool bound = false, deleting = false;
  std::string restored_by{};  ///< which revert or restore made it; "" = none of ours
};

struct VolumeSeen {
  kube::Cached object{};
  std::string policy{}, claim_ns{}, claim_name{}, claim_uid{}, restored_by{}, first_policy{};
};

/// One claim of the run, in the order of status.frozen.claims.
struct MemberSeen {
  kube::Cached claim{};  ///< as it is now, if it is the same one
  bool labelled = false;
  std::optional<SnapshotSeen> snapshot{};
  std::optional<MoveSeen> move{};  ///< its upload

  /// Of a revert or restore:
  std::string target_ns{}, target_name{};
  std::optional<ClaimSeen> target{}, staged{};
  std::vector<std::string> users{};  ///< pods that have the target mounted, or are to
  std::optional<MoveSeen> download{};
  kube::Cached prover{};  ///< the pod that mounts what was cut
  std::string prover_phase{}, prover_message{};
  std::optional<VolumeSeen> fresh{}, old{};  ///< the new volume, and that of the target now
};

struct ActionSeen {
  VolumeGroupAction action{};
  kube::Cached object{};
  std::string ns{}, name{}, uid{};
  std::vector<std::string> edited{};  ///< fields of the spec that were changed since it began
  int64_t generation = 0;
  std::optional<WallTime> created{};
  bool deleting = false, held = false;  ///< held: our finalizer stands
  std::string label_key{}, label{};     ///< what is asked for by label
  WallTime now{};
  std::optional<Resolution> resolution{};  ///< while there is nothing frozen yet
  std::string no_group{};                  ///< why there is no VolumeGroup to resolve
  std::optional<control::OperationRecord> window{}, release{}, log{};
  std::optional<WindowResult> window_result{};
  bool pods_busy = false;  ///< another run holds one of the pods still
  std::vector<MemberSeen> members{};
  GroupKinds group_kinds{};  ///< as the server has them; the newest if it has none
  std::optional<SnapshotSeen> group_cut{};
  /// Names of the snapshots of a group cut, by claim, once they are known.
  std::map<std::string, std::string> group_members{};
  std::optional<MoveSeen> catalogue{};   ///< its upload
  std::optional<MoveSeen> forgetting{};  ///< of the backup, with this object
  std::optional<MoveSeen> search{};      ///< for the catalogue of spec.source
  bool target_allowed = true;            ///< the namespace of a restore
};

}  // namespace holdfast::drivers::volumegroup
