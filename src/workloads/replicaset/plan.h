/// Plan of a ReplicaSet: its next step. Pure: all it may know is in `Seen`.
#pragma once

#include <holdfast/control/outcome.h>

#include "pods/pod.h"
#include "replicaset/replica_set.h"

#include <string>
#include <vector>

namespace holdfast::workloads::replicaset {

struct Seen {
  ReplicaSet set{};
  std::vector<Pod> pods{};  ///< controlled by it, and the namespace's orphans
  std::vector<Pod>
      related{};            ///< of all ReplicaSets with the same owner; for the choice of victims
  std::string free_name{};  ///< of the next pod
  WallTime now{};
  /// Why the server refused the last write; "" = it did not.
  std::string refusal{};
  bool namespace_ending = false;  ///< refused because the namespace is being deleted
  bool may_adopt = false;         ///< kMayAdopt was asked for, and the answer is yes
};

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::workloads::replicaset
