#include "replicaset/replica_set.h"

#include <holdfast/model/time.h>

namespace holdfast::workloads {
namespace {

using model::int_at;
using model::Value;

}  // namespace

Annotations annotations_of(const Value& object) {
  Annotations out;
  for (const auto& member : model::object_at(object, {"metadata", "annotations"}))
    if (member.value().is_string())
      out.emplace(member.key(), model::view(member.value().get_string()));
  return out;
}

bool ReplicaSetStatus::operator==(const ReplicaSetStatus& other) const {
  return replicas == other.replicas && fully_labeled == other.fully_labeled &&
         ready == other.ready && available == other.available &&
         observed_generation == other.observed_generation &&
         model::equal(conditions, other.conditions);
}

ReplicaSet read_replica_set(const Value& object) {
  ReplicaSet out;
  out.meta = model::meta_of(object);
  out.annotations = annotations_of(object);
  out.created = model::parse_rfc3339(model::string_at(object, {"metadata", "creationTimestamp"}))
                    .value_or(WallTime());
  out.replicas = int_at(object, {"spec", "replicas"}, 1);
  out.min_ready_seconds = int_at(object, {"spec", "minReadySeconds"}, 0);
  if (const Value* selector = model::find(object, {"spec", "selector"}))
    if (Result<model::LabelSelector> parsed = model::LabelSelector::from_object(*selector))
      out.selector = parsed.take();
  if (const Value* pod_template = model::find(object, {"spec", "template"}))
    out.pod_template = *pod_template;
  out.status.replicas = int_at(object, {"status", "replicas"}, 0);
  out.status.fully_labeled = int_at(object, {"status", "fullyLabeledReplicas"}, 0);
  out.status.ready = int_at(object, {"status", "readyReplicas"}, 0);
  out.status.available = int_at(object, {"status", "availableReplicas"}, 0);
  out.status.observed_generation = int_at(object, {"status", "observedGeneration"}, 0);
  out.status.conditions = model::array_at(object, {"status", "conditions"});
  return out;
}

ReplicaSet read_replica_set(const kube::Cached& object) {
  ReplicaSet out = read_replica_set(object.value());
  out.object = object;
  return out;
}

Value to_value(const ReplicaSetStatus& status) {
  model::Object out;
  out["replicas"] = status.replicas;
  const auto put = [&out](std::string_view name, int64_t count) {
    if (count != 0) out[name] = count;
  };
  put("fullyLabeledReplicas", status.fully_labeled);
  put("readyReplicas", status.ready);
  put("availableReplicas", status.available);
  put("observedGeneration", status.observed_generation);
  if (!status.conditions.empty()) out["conditions"] = status.conditions;
  return out;
}

const Value* find_condition(const model::Array& conditions, std::string_view type) {
  for (const Value& condition : conditions)
    if (model::string_at(condition, {"type"}) == type) return &condition;
  return nullptr;
}

model::Array without_condition(const model::Array& conditions, std::string_view type) {
  model::Array out;
  for (const Value& condition : conditions)
    if (model::string_at(condition, {"type"}) != type) out.push_back(condition);
  return out;
}

}  // namespace holdfast::workloads
