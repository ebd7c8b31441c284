/// A VolumeGroupSnapshot from its selector to a snapshot of every member, and its end; the common
/// half of what snapshot-controller does. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "groups/objects.h"
#include "storage.h"

#include <optional>
#include <vector>

namespace holdfast::volumes::groups {

/// A claim that the selector matches, and its volume.
struct Match {
  Claim claim{};
  std::optional<Volume> volume{};
};

struct Seen {
  Group group{};
  std::optional<GroupContent> content{};       ///< of group.content_name()
  std::vector<SnapshotClass> classes{};        ///< all there are
  std::vector<Match> matches{};                ///< by the whole selector, expressions too
  std::string selector_error{};                ///< why the selector cannot be read; "" = it can
  std::vector<Snapshot> members{};             ///< snapshots that the group owns
  std::vector<std::string> member_contents{};  ///< names of those that are there
  WallTime now{};
};

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::groups
