/// Cuts of claims: the VolumeSnapshots and VolumeGroupSnapshots that make them, and what became of
/// them.
#pragma once

#include <holdfast/control/made_for.h>
#include <holdfast/control/outcome.h>
#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>
#include <holdfast/kube/group_kinds.h>
#include <holdfast/protect/cut/cut_inputs.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

struct SnapshotSeen {
  kube::Cached object{};
  bool ready = false, cut = false, deleting = false;
  std::string error{};
};
std::optional<SnapshotSeen> snapshot_seen(kube::Cached object);

/// The VolumeSnapshot of one claim.
model::Value snapshot_of(const ClaimRecord& claim, model::Object metadata);
/// The VolumeGroupSnapshot of all claims that have that label.
model::Value group_snapshot_of(const kube::GroupKinds& kinds, const std::string& group_class,
                               const std::string& label, model::Object metadata);

/// As the server has it, in the version that it serves now: `kinds` is brought up to date where
/// only the version is another one.
Result<kube::Cached> read_group_snapshot(control::Pass& pass, kube::ServedGroupKinds& served,
                                         kube::GroupKinds& kinds, const std::string& ns,
                                         const std::string& name);
struct MemberCut {
  std::string name{}, uid{};
};
/// The snapshots that a group snapshot has made, by claim, as far as they are known. Only what the
/// group's own content tells of counts: an owner reference is anybody's to write.
Result<std::map<std::string, MemberCut>> members_of(control::Pass& pass, kube::Client& client,
                                                    const kube::GroupKinds& kinds,
                                                    const kube::Cached& group_snapshot,
                                                    const std::vector<ClaimRecord>& claims);

/// What was cut, as it stands now: the VolumeGroupSnapshot, and the snapshots in the order of the
/// claims; null where there is none.
struct StandingCut {
  const SnapshotSeen* group = nullptr;
  std::vector<const SnapshotSeen*> snapshots{};
};
struct StandingState {
  bool ready = false;
  control::Refusal trouble{};  ///< why it never will be; no reason while there is hope
};
StandingState state_of(const CutInputs& inputs, const StandingCut& seen);
/// Who may write in the claims' namespace can put another snapshot in the place of one that was
/// cut: the first of those, by its name. `uids` are those of the objects that made the cut. Empty
/// if there is none.
std::string replaced_cut(const CutInputs& inputs, const std::vector<std::string>& uids,
                         const StandingCut& seen);
/// Each look costs requests: the longer it is since the cut, the longer until the next one.
std::chrono::milliseconds cut_patience(std::string_view cut_seen_at, WallTime now);
/// The next step until no snapshot is left. Nothing when none is.
std::optional<control::Outcome> remove_cuts(const kube::GroupKinds& kinds, const StandingCut& seen);

}  // namespace holdfast::protect
