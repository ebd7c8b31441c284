/// A ReplicaSet as the controllers read it.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/cached.h>
#include <holdfast/model/selector.h>

#include <map>
#include <optional>
#include <string>

namespace holdfast::workloads {

using Annotations = std::map<std::string, std::string>;
Annotations annotations_of(const model::Value& object);

struct ReplicaSetStatus {
  int64_t replicas = 0, fully_labeled = 0, ready = 0, available = 0;
  int64_t observed_generation = 0;
  model::Array conditions{};
  bool operator==(const ReplicaSetStatus&) const;
};

struct ReplicaSet {
  kube::Cached object{};
  model::Meta meta{};
  Annotations annotations{};
  WallTime created{};
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
  std::optional<model::LabelSelector> selector{};  ///< nothing if it does not parse
  model::Value pod_template{};
  ReplicaSetStatus status{};
};

ReplicaSet read_replica_set(const model::Value& object);
ReplicaSet read_replica_set(const kube::Cached& object);
/// `status` as the object carries it: what is zero is left out, as the real manager leaves it out.
model::Value to_value(const ReplicaSetStatus& status);

/// The condition of that type among `conditions`, or null.
const model::Value* find_condition(const model::Array& conditions, std::string_view type);
model::Array without_condition(const model::Array& conditions, std::string_view type);

}  // namespace holdfast::workloads
