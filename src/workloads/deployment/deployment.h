/// A Deployment as its controller reads it.
#pragma once

#include "replicaset/replica_set.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::workloads::deployment {

inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMost = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kRollbackTo = "deprecated.deployment.rollback.to";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";

struct Condition {
  std::string type{}, status{}, reason{}, message{};
  std::string updated{}, changed{};  ///< lastUpdateTime, lastTransitionTime
  bool operator==(const Condition&) const = default;
};

struct Status {
  int64_t observed_generation = 0;
  int64_t replicas = 0, updated = 0, ready = 0, available = 0, unavailable = 0;
  std::optional<int64_t> collisions{};
  std::vector<Condition> conditions{};
  bool operator==(const Status&) const = default;

  const Condition* find(std::string_view type) const;
  void drop(std::string_view type);
  /// The same status and reason again is no news; the time of change moves only with the status.
  void set(Condition condition);
};

struct Deployment {
  kube::Cached object{};
  model::Meta meta{};
  Annotations annotations{};
  WallTime created{};
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
  bool paused = false, rolling = true;
  std::optional<int64_t> history_limit{};
  std::optional<int64_t> deadline_seconds{};  ///< nothing also if it is "for ever"
  int64_t surge = 0, unavailable = 0;         ///< resolved for `replicas`
  model::Value pod_template{};
  model::Value selector_value{};
  std::optional<model::LabelSelector> selector{};  ///< nothing if it does not parse
  Status status{};
};

Deployment read_deployment(const model::Value& object);
Deployment read_deployment(const kube::Cached& object);
model::Value to_value(const Status& status);

/// "25%" of `whole`, rounded up or down, or the number itself; 0 if it is neither.
int64_t share_of(const model::Value* amount, int64_t whole, bool round_up);

/// The revision that an object's annotations say; 0 if none, nothing if it is no number.
std::optional<int64_t> revision_of(const Annotations& annotations);

}  // namespace holdfast::workloads::deployment
