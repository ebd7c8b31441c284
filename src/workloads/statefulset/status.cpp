#include "statefulset/status.h"

#include <array>

namespace holdfast::workloads::statefulset {

namespace {

struct Counts {
  int64_t replicas = 0, ready = 0, available = 0, current = 0, updated = 0;
};

Counts count(const Observed& seen, const History& history) {
  Counts counts;
  for (const Replica& pod : seen.pods) {
    ++counts.replicas;
    if (pod.running_and_ready()) ++counts.ready;
    if (pod.running_and_ready() && is_available(pod, seen)) ++counts.available;
    if (pod.going()) continue;
    if (pod.revision == history.current->name) ++counts.current;
    if (pod.revision == history.update->name) ++counts.updated;
  }
  return counts;
}

void put_unless_zero(model::Object& status, std::string_view name, int64_t number) {
  if (number != 0) status[name] = number;
}

}  // namespace

model::Object wanted_status(const Observed& seen, const History& history) {
  const int64_t wanted = seen.set.replicas;
  Counts counts = count(seen, history);
  std::string_view current = history.current->name;
  const bool complete = !seen.set.on_delete && counts.updated == wanted && counts.ready == wanted &&
                        counts.replicas == wanted;
  if (complete) {
    counts.current = counts.updated;
    current = history.update->name;
  }
  model::Object status;
  put_unless_zero(status, "observedGeneration",
                  model::int_at(*seen.set.value, {"metadata", "generation"}, 0));
  status["replicas"] = counts.replicas;
  put_unless_zero(status, "readyReplicas", counts.ready);
  put_unless_zero(status, "currentReplicas", counts.current);
  put_unless_zero(status, "updatedReplicas", counts.updated);
  status["currentRevision"] = current;
  status["updateRevision"] = history.update->name;
  status["collisionCount"] = history.collisions;
  status["availableReplicas"] = counts.available;
  return status;
}

bool names_other_revisions(const Observed& seen, const model::Object& wanted) {
  const model::Object& stands = model::object_at(*seen.set.value, {"status"});
  const auto differs = [&](std::string_view name) {
    const model::Value* value = stands.if_contains(name);
    return value == nullptr || !model::equal(*value, wanted.at(name));
  };
  return differs("currentRevision") || differs("updateRevision");
}

std::optional<control::Write> report(const Observed& seen, const model::Object& wanted) {
  constexpr std::array<std::string_view, 6> kCounts{"replicas",          "readyReplicas",
                                                    "currentReplicas",   "updatedReplicas",
                                                    "availableReplicas", "observedGeneration"};
  const model::Value& set = *seen.set.value;
  const model::Value status(wanted);
  bool changed = names_other_revisions(seen, wanted);
  for (const std::string_view name : kCounts)
    changed |= model::int_at(set, {"status", name}, 0) != model::int_at(status, {name}, 0);
  if (!changed) return std::nullopt;
  model::Value next = set;
  next.as_object()["status"] = wanted;
  return control::update_status(kube::kStatefulSets, seen.set.object, std::move(next));
}

}  // namespace holdfast::workloads::statefulset
