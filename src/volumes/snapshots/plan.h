/// A VolumeSnapshot from its claim or its given content to readiness, and its end; the common half
/// of what snapshot-controller does. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "snapshots/objects.h"
#include "storage.h"

#include <optional>
#include <vector>

namespace holdfast::volumes::snapshots {

struct Seen {
  Snapshot snapshot{};
  std::optional<Content> content{};      ///< of snapshot.content_name()
  std::vector<SnapshotClass> classes{};  ///< all there are
  std::optional<Claim> claim{};          ///< the source
  std::optional<Volume> volume{};        ///< the claim's
  bool claim_guarded = false;            ///< the claim carries our finalizer
  bool claim_needed = false;             ///< another snapshot of the claim is not cut yet
  std::string restoring{};               ///< a claim that is being made of the snapshot; "" = none
  bool group_stays = false;              ///< it is a member of a group that is not going
  WallTime now{};
};

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::snapshots
