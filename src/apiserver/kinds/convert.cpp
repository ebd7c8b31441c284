#include "kinds/convert.h"

#include <holdfast/model/typed.h>

#include <array>

namespace holdfast::apiserver {
namespace {

using model::Object;
using model::Value;

// core/v1 Event ↔ events.k8s.io/v1 Event: the same facts under other names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEventMembers = {{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
}};

void rename_event(Value& event, bool to_core) {
  Object renamed;
  for (const auto& [name, value] : event.get_object()) {
    std::string_view next = name;
    for (const auto& [core, events] : kEventMembers) {
      if (to_core && name == events) next = core;
      if (!to_core && name == core) next = events;
    }
    renamed[next] = value;
  }
  renamed["apiVersion"] = to_core ? "v1" : "events.k8s.io/v1";
  event = std::move(renamed);
}

constexpr std::string_view kMetricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kBehaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";

bool is_cpu_utilization(const Value& metric) {
  return model::string_at(metric, {"type"}) == "Resource" &&
         model::string_at(metric, {"resource", "name"}) == "cpu" &&
         model::find(metric, {"resource", "target", "averageUtilization"}) != nullptr;
}

// v1 knows one metric, CPU utilisation; what else v2 says travels in annotations, so that nothing
// is lost on the way.
void autoscaler_to_v1(Value& object) {
  Object& spec = model::ensure_object(object, {"spec"});
  model::Array others;
  for (const Value& metric : model::array_at(object, {"spec", "metrics"})) {
    if (is_cpu_utilization(metric) && !spec.contains("targetCPUUtilizationPercentage"))
      spec["targetCPUUtilizationPercentage"] =
          *model::find(metric, {"resource", "target", "averageUtilization"});
    else
      others.push_back(metric);
  }
  Object& annotations = model::ensure_object(object, {"metadata", "annotations"});
  if (!others.empty()) annotations[kMetricsAnnotation] = model::to_json(Value(others));
  if (const Value* behavior = model::find(object, {"spec", "behavior"}))
    annotations[kBehaviorAnnotation] = model::to_json(*behavior);
  spec.erase("metrics");
  spec.erase("behavior");
  if (annotations.empty()) model::erase(object, {"metadata", "annotations"});
  for (const Value& metric : model::array_at(object, {"status", "currentMetrics"}))
    if (const Value* current = model::find(metric, {"resource", "current", "averageUtilization"}))
      model::ensure_object(object, {"status"})["currentCPUUtilizationPercentage"] = *current;
  model::erase(object, {"status", "currentMetrics"});
  model::erase(object, {"status", "conditions"});
  object.get_object()["apiVersion"] = "autoscaling/v1";
}

void restore_annotation(Value& object, std::string_view annotation, std::string_view member,
                        model::Array* append_to) {
  const std::string text(model::string_at(object, {"metadata", "annotations", annotation}));
  if (text.empty()) return;
  Result<model::Parsed> parsed = model::parse_json(text);
  if (!parsed) return;
  model::erase(object, {"metadata", "annotations", annotation});
  if (append_to == nullptr)
    model::ensure_object(object, {"spec"})[member] = std::move(parsed->value);
  else if (parsed->value.is_array())
    for (Value& each : parsed->value.get_array()) append_to->push_back(std::move(each));
}

void autoscaler_to_v2(Value& object) {
  model::Array metrics;
  if (const Value* target = model::find(object, {"spec", "targetCPUUtilizationPercentage"}))
    metrics.push_back(Object{
        {"type", "Resource"},
        {"resource",
         Object{{"name", "cpu"},
                {"target", Object{{"type", "Utilization"}, {"averageUtilization", *target}}}}}});
  restore_annotation(object, kMetricsAnnotation, "metrics", &metrics);
  restore_annotation(object, kBehaviorAnnotation, "behavior", nullptr);
  Object& spec = model::ensure_object(object, {"spec"});
  spec.erase("targetCPUUtilizationPercentage");
  if (!metrics.empty()) spec["metrics"] = std::move(metrics);
  if (model::object_at(object, {"metadata", "annotations"}).empty())
    model::erase(object, {"metadata", "annotations"});
  model::erase(object, {"status", "currentCPUUtilizationPercentage"});
  object.get_object()["apiVersion"] = "autoscaling/v2";
}

// The two versions print different members even when they are empty, so the type has the last word.
void convert_autoscaler(Value& object, const std::string& version) {
  version == "v2" ? autoscaler_to_v2(object) : autoscaler_to_v1(object);
  const model::Schema* schema =
      model::Kinds::builtin().schema({"autoscaling", version, "HorizontalPodAutoscaler"});
  HF_CHECK(model::decode_typed(object, *schema));
}

}  // namespace

void convert(Value& object, const Resource& resource, const std::string& version, bool to_storage) {
  if (resource.is_custom())
    object.get_object()["apiVersion"] = resource.group + "/" + version;
  else if (resource.kind == "Event")
    rename_event(object, to_storage);
  else if (resource.kind == "HorizontalPodAutoscaler")
    convert_autoscaler(object, to_storage ? "v2" : "v1");
}

}  // namespace holdfast::apiserver
