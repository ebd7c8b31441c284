// Cuts that are made: how far they are, whether they still are the ones, and their removal.
#include <holdfast/base/walls.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/cuts.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {

using namespace std::chrono_literals;
using control::Outcome;

StandingState state_of(const CutInputs& inputs, const StandingCut& seen) {
  if (seen.group != nullptr && !seen.group->ready && !seen.group->deleting) return {};
  for (size_t i = 0; i < seen.snapshots.size(); ++i) {
    const SnapshotSeen* its = seen.snapshots[i];
    if (its == nullptr || its->deleting)
      return {.trouble = {"SnapshotGone", fmt::format("the snapshot of claim {} was deleted",
                                                      inputs.claims[i].name)}};
    if (!its->ready) return {};
  }
  return {.ready = true};
}

std::string replaced_cut(const CutInputs& inputs, const std::vector<std::string>& uids,
                         const StandingCut& seen) {
  if (!wall_stands("what is uploaded is what was cut")) return "";
  if (inputs.cut == Cut::Group && seen.group != nullptr && !uids.empty() &&
      seen.group->object.uid() != uids.front())
    return fmt::format("VolumeGroupSnapshot {}", seen.group->object.name());
  for (size_t i = 0; i < seen.snapshots.size(); ++i) {
    const SnapshotSeen* its = seen.snapshots[i];
    const std::string& cut = inputs.claims[i].snapshot_uid;
    if (its != nullptr && !cut.empty() && its->object.uid() != cut)
      return fmt::format("VolumeSnapshot {} of claim {}", its->object.name(),
                         inputs.claims[i].name);
  }
  return "";
}

std::chrono::milliseconds cut_patience(std::string_view cut_seen_at, WallTime now) {
  const auto cut = model::parse_rfc3339(cut_seen_at);
  const auto waited = cut ? now - *cut : 0s;
  return std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(waited) / 8,
                    std::chrono::milliseconds(500), std::chrono::milliseconds(30000));
}

std::optional<Outcome> remove_cuts(const kube::GroupKinds& kinds, const StandingCut& seen) {
  if (seen.group != nullptr)
    return seen.group->deleting
               ? Outcome::wait(1s, "SnapshotsGoing")
               : Outcome::act(control::remove(kinds.snapshots, seen.group->object));
  for (const SnapshotSeen* each : seen.snapshots)
    if (each != nullptr && !each->deleting)
      return Outcome::act(control::remove(kube::kVolumeSnapshots, each->object));
  for (const SnapshotSeen* each : seen.snapshots)
    if (each != nullptr) return Outcome::wait(1s, "SnapshotsGoing");
  return std::nullopt;
}

}  // namespace holdfast::protect
