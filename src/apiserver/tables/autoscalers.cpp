// Cells of horizontal pod autoscalers. The targets cell pairs what each metric reads with what it
// should read: "cpu: 20%/80%, 12/100 + 1 more...".
#include "tables/cell_text.h"
#include "tables/printers.h"

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

constexpr std::string_view kUnknown = "<unknown>";
constexpr size_t kMostMetrics = 2;

bool has(const Value& value, Path path) {
  const Value* found = model::find(value, path);
  return found != nullptr && !found->is_null();
}

std::string percent_at(const Value& value, Path path, std::string_view otherwise) {
  if (!has(value, path)) return std::string(otherwise);
  return std::to_string(model::int_at(value, path, 0)) + "%";
}

// Metrics of a resource ("cpu: …"): an amount per pod or a share of the request.
std::string resource_metric(const Value& spec, const Value& status, std::string_view source) {
  const std::string name = std::string(model::string_at(spec, {source, "name"})) + ": ";
  if (has(spec, {source, "target", "averageValue"})) {
    const std::string current = has(status, {source})
                                    ? quantity_at(status, {source, "current", "averageValue"})
                                    : std::string(kUnknown);
    return name + current + "/" + quantity_at(spec, {source, "target", "averageValue"});
  }
  return name + percent_at(status, {source, "current", "averageUtilization"}, kUnknown) + "/" +
         percent_at(spec, {source, "target", "averageUtilization"}, "<auto>");
}

// Metrics of another object or from outside: one value, or one divided by the number of pods.
std::string value_metric(const Value& spec, const Value& status, std::string_view source) {
  if (has(spec, {source, "target", "averageValue"})) {
    const std::string current = has(status, {source, "current", "averageValue"})
                                    ? quantity_at(status, {source, "current", "averageValue"})
                                    : std::string(kUnknown);
    return current + "/" + quantity_at(spec, {source, "target", "averageValue"}) + " (avg)";
  }
  const std::string current = has(status, {source})
                                  ? quantity_at(status, {source, "current", "value"})
                                  : std::string(kUnknown);
  return current + "/" + quantity_at(spec, {source, "target", "value"});
}

std::string pods_metric(const Value& spec, const Value& status) {
  const std::string current = has(status, {"pods"})
                                  ? quantity_at(status, {"pods", "current", "averageValue"})
                                  : std::string(kUnknown);
  return current + "/" + quantity_at(spec, {"pods", "target", "averageValue"});
}

std::string metric(const Value& spec, const Value& status) {
  const std::string_view type = model::string_at(spec, {"type"});
  if (type == "External") return value_metric(spec, status, "external");
  if (type == "Object") return value_metric(spec, status, "object");
  if (type == "Pods") return pods_metric(spec, status);
  if (type == "Resource") return resource_metric(spec, status, "resource");
  if (type == "ContainerResource") return resource_metric(spec, status, "containerResource");
  return "<unknown type>";
}

std::string targets_cell(const Value& object) {
  const Array& specs = model::array_at(object, {"spec", "metrics"});
  const Array& statuses = model::array_at(object, {"status", "currentMetrics"});
  if (specs.empty()) return "<none>";
  std::vector<std::string> texts;
  for (size_t i = 0; i < specs.size(); ++i)
    texts.push_back(metric(specs[i], i < statuses.size() ? statuses[i] : Value()));
  return shortened(texts, kMostMetrics, ", ");
}

void autoscaler(const Value& object, WallTime now, Array& cells) {
  const std::string reference =
      std::string(model::string_at(object, {"spec", "scaleTargetRef", "kind"})) + "/" +
      std::string(model::string_at(object, {"spec", "scaleTargetRef", "name"}));
  const std::string least = has(object, {"spec", "minReplicas"})
                                ? std::to_string(model::int_at(object, {"spec", "minReplicas"}, 0))
                                : "<unset>";
  add_cells(cells, name_of(object), reference, targets_cell(object), least,
            model::int_at(object, {"spec", "maxReplicas"}, 0),
            model::int_at(object, {"status", "currentReplicas"}, 0), age_of(object, now));
}

}  // namespace

void add_autoscaler_printers(Printers& printers) {
  printers.push_back({"autoscaling",
                      "HorizontalPodAutoscaler",
                      {kNameColumn,
                       {"Reference"},
                       {"Targets"},
                       {"MinPods"},
                       {"MaxPods"},
                       {"Replicas"},
                       kAgeColumn},
                      autoscaler});
}

}  // namespace holdfast::apiserver
