#include "deployment/deployment.h"

#include <holdfast/model/time.h>

#include <charconv>
#include <limits>

namespace holdfast::workloads::deployment {
namespace {

using model::int_at;
using model::string_at;
using model::Value;

constexpr int64_t kForEver = std::numeric_limits<int32_t>::max();

std::optional<int64_t> limit_at(const Value& object, std::string_view member) {
  const Value* limit = model::find(object, {"spec", member});
  if (limit == nullptr || limit->is_null()) return std::nullopt;
  const int64_t number = int_at(object, {"spec", member}, kForEver);
  return number == kForEver ? std::nullopt : std::optional(number);
}

/// Both together: bounds that both come to nothing would never let a rollout begin.
void resolve_bounds(const Value& object, Deployment& out) {
  if (!out.rolling) return;
  out.surge = share_of(model::find(object, {"spec", "strategy", "rollingUpdate", "maxSurge"}),
                       out.replicas, true);
  out.unavailable =
      share_of(model::find(object, {"spec", "strategy", "rollingUpdate", "maxUnavailable"}),
               out.replicas, false);
  if (out.surge == 0 && out.unavailable == 0) out.unavailable = 1;
  out.unavailable = std::min(out.unavailable, out.replicas);
}

Status read_status(const Value& object) {
  Status out;
  out.observed_generation = int_at(object, {"status", "observedGeneration"}, 0);
  out.replicas = int_at(object, {"status", "replicas"}, 0);
  out.updated = int_at(object, {"status", "updatedReplicas"}, 0);
  out.ready = int_at(object, {"status", "readyReplicas"}, 0);
  out.available = int_at(object, {"status", "availableReplicas"}, 0);
  out.unavailable = int_at(object, {"status", "unavailableReplicas"}, 0);
  if (model::find(object, {"status", "collisionCount"}) != nullptr)
    out.collisions = int_at(object, {"status", "collisionCount"}, 0);
  for (const Value& each : model::array_at(object, {"status", "conditions"})) {
    Condition condition;
    condition.type = string_at(each, {"type"});
    condition.status = string_at(each, {"status"});
    condition.reason = string_at(each, {"reason"});
    condition.message = string_at(each, {"message"});
    condition.updated = string_at(each, {"lastUpdateTime"});
    condition.changed = string_at(each, {"lastTransitionTime"});
    out.conditions.push_back(std::move(condition));
  }
  return out;
}

}  // namespace

const Condition* Status::find(std::string_view type) const {
  for (const Condition& condition : conditions)
    if (condition.type == type) return &condition;
  return nullptr;
}

void Status::drop(std::string_view type) {
  std::erase_if(conditions, [&](const Condition& each) { return each.type == type; });
}

void Status::set(Condition condition) {
  if (const Condition* current = find(condition.type)) {
    if (current->status == condition.status && current->reason == condition.reason) return;
    if (current->status == condition.status) condition.changed = current->changed;
  }
  drop(condition.type);
  conditions.push_back(std::move(condition));
}

int64_t share_of(const Value* amount, int64_t whole, bool round_up) {
  if (amount == nullptr) return 0;
  if (amount->is_int64()) return amount->get_int64();
  if (amount->is_uint64()) return static_cast<int64_t>(amount->get_uint64());
  if (!amount->is_string()) return 0;
  std::string_view text = model::view(amount->get_string());
  if (!text.ends_with('%')) return 0;
  text.remove_suffix(1);
  int64_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size()) return 0;
  return (percent * whole + (round_up ? 99 : 0)) / 100;
}

std::optional<int64_t> revision_of(const Annotations& annotations) {
  const auto found = annotations.find(std::string(kRevision));
  if (found == annotations.end()) return 0;
  const std::string& text = found->second;
  int64_t revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return revision;
}

Deployment read_deployment(const Value& object) {
  Deployment out;
  out.meta = model::meta_of(object);
  out.annotations = annotations_of(object);
  out.created = model::parse_rfc3339(string_at(object, {"metadata", "creationTimestamp"}))
                    .value_or(WallTime());
  out.replicas = int_at(object, {"spec", "replicas"}, 1);
  out.min_ready_seconds = int_at(object, {"spec", "minReadySeconds"}, 0);
  out.paused = model::bool_at(object, {"spec", "paused"}, false);
  out.rolling = string_at(object, {"spec", "strategy", "type"}) != "Recreate";
  out.history_limit = limit_at(object, "revisionHistoryLimit");
  out.deadline_seconds = limit_at(object, "progressDeadlineSeconds");
  resolve_bounds(object, out);
  if (const Value* pod_template = model::find(object, {"spec", "template"}))
    out.pod_template = *pod_template;
  if (const Value* selector = model::find(object, {"spec", "selector"})) {
    out.selector_value = *selector;
    if (Result<model::LabelSelector> parsed = model::LabelSelector::from_object(*selector))
      out.selector = parsed.take();
  }
  out.status = read_status(object);
  return out;
}

Deployment read_deployment(const kube::Cached& object) {
  Deployment out = read_deployment(object.value());
  out.object = object;
  return out;
}

Value to_value(const Status& status) {
  model::Object out;
  const auto put = [&out](std::string_view name, int64_t count) {
    if (count != 0) out[name] = count;
  };
  put("observedGeneration", status.observed_generation);
  put("replicas", status.replicas);
  put("updatedReplicas", status.updated);
  put("readyReplicas", status.ready);
  put("availableReplicas", status.available);
  put("unavailableReplicas", status.unavailable);
  if (status.collisions) out["collisionCount"] = *status.collisions;
  model::Array conditions;
  for (const Condition& each : status.conditions)
    conditions.push_back(model::Object{{"type", each.type},
                                       {"status", each.status},
                                       {"lastUpdateTime", each.updated},
                                       {"lastTransitionTime", each.changed},
                                       {"reason", each.reason},
                                       {"message", each.message}});
  if (!conditions.empty()) out["conditions"] = std::move(conditions);
  return out;
}

}  // namespace holdfast::workloads::deployment
