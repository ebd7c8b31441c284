/// Plan of a Deployment: its next step. Pure: all it may know is in `Seen`.
#pragma once

#include <holdfast/control/outcome.h>

#include "deployment/deployment.h"

#include <set>

namespace holdfast::workloads::deployment {

struct Seen {
  Deployment wanted{};
  std::vector<ReplicaSet> sets{};  ///< its own and the namespace's orphans
  /// Uids of ReplicaSets with a pod that has not ended; asked only for Recreate.
  std::set<std::string> running{};
  /// The name that the next ReplicaSet would have belongs to one that is there already.
  bool name_taken = false;
  std::string next_hash{};  ///< of the wanted template
  WallTime now{};
  std::string refusal{};   ///< why the server refused the last write; "" = it did not
  bool may_adopt = false;  ///< kMayAdopt was asked for, and the answer is yes
};

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::workloads::deployment
