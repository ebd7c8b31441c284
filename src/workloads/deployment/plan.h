/// Plan of a Deployment: its next step. Pure: all it may know is in `Seen`.
#pragma once

#include <holdfast/control/write.h>

#include "deployment/deployment.h"

#include <chrono>
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
  std::string refusal{};  ///< why the server refused the last write; "" = it did not
};

struct Step {
  enum class Do {
    Nothing,
    Adopt,      ///< `set`
    Release,    ///< `set`
    CreateSet,  ///< `replicas`, `annotations`
    UpdateSet,  ///< `set` gets `replicas`, `annotations` and the wanted minReadySeconds
    DeleteSet,  ///< `set`
    Report,     ///< `status`, `annotations` of the Deployment
    RollBack,   ///< `annotations`, `pod_template` of the Deployment
  };
  Do what = Do::Nothing;
  ReplicaSet set{};
  int64_t replicas = 0;
  bool min_ready = false;  ///< UpdateSet: minReadySeconds too
  Annotations annotations{};
  Status status{};
  model::Value pod_template{};
  std::optional<control::Note> note{};  ///< once the write succeeded, or at once if there is none
  std::optional<std::chrono::microseconds> again{};  ///< Nothing: the deadline may pass till then
};

Step plan(const Seen& seen);

}  // namespace holdfast::workloads::deployment
