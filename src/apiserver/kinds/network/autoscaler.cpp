/// HorizontalPodAutoscaler in both of its forms. v1 says one target for the CPU where v2 has a list
/// of metrics; the real server checks v2's form and names its fields.
#include <holdfast/model/object.h>
#include <holdfast/model/quantity.h>

#include "kinds/core/resources.h"
#include "kinds/network/network.h"
#include "kinds/place.h"

#include <fmt/format.h>

#include <vector>

namespace holdfast::apiserver::network {

using model::Array;
using model::Object;
using model::Value;

namespace {

constexpr int64_t kDefaultUtilization = 80;
constexpr int64_t kMaxPeriod = 1800;
constexpr int64_t kMaxWindow = 3600;
constexpr std::string_view kMetricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";

bool is_v1(const Value& autoscaler) {
  return model::string_at(autoscaler, {"apiVersion"}) == "autoscaling/v1";
}

Value policy(std::string_view type, int64_t value) {
  return Object{{"type", Value(type)}, {"value", value}, {"periodSeconds", 15}};
}

void default_rules(Value& behavior, std::string_view direction, bool up) {
  Value& rules = object_member(behavior, direction);
  if (up) default_member(rules, "stabilizationWindowSeconds", 0);
  default_member(rules, "selectPolicy", "Max");
  if (model::find(rules, {"policies"}) != nullptr) return;
  Array policies;
  if (up) policies.push_back(policy("Pods", 4));
  policies.push_back(policy("Percent", 100));
  rules.get_object()["policies"] = std::move(policies);
}

void set_defaults(Value& autoscaler) {
  Value& spec = object_member(autoscaler, "spec");
  default_member(spec, "minReplicas", 1);
  if (is_v1(autoscaler)) {
    if (model::find(autoscaler, {"metadata", "annotations", kMetricsAnnotation}) == nullptr)
      default_member(spec, "targetCPUUtilizationPercentage", kDefaultUtilization);
    return;
  }
  if (model::array_at(spec, {"metrics"}).empty())
    spec.get_object()["metrics"] = Array{Object{
        {"type", "Resource"},
        {"resource", Object{{"name", "cpu"},
                            {"target", Object{{"type", "Utilization"},
                                              {"averageUtilization", kDefaultUtilization}}}}}}};
  if (Value* behavior = model::find(spec, {"behavior"})) {
    default_rules(*behavior, "scaleUp", true);
    default_rules(*behavior, "scaleDown", false);
  }
}

/// tolerance belongs to a feature that is off in 1.34.
void drop_tolerance(Value& autoscaler, const Value* old) {
  for (std::string_view direction : {"scaleUp", "scaleDown"})
    if (old == nullptr ||
        model::find(*old, {"spec", "behavior", direction, "tolerance"}) == nullptr)
      model::erase(autoscaler, {"spec", "behavior", direction, "tolerance"});
}

void prepare_create(Value& autoscaler) {
  autoscaler.get_object()["status"] =
      is_v1(autoscaler) ? Object{{"currentReplicas", 0}, {"desiredReplicas", 0}}
                        : Object{{"desiredReplicas", 0}, {"currentMetrics", nullptr}};
  drop_tolerance(autoscaler, nullptr);
}

void check_segment(const Place& name, std::string detail = {}) {
  if (name.need(std::move(detail))) name.accept(model::check_path_segment(name.text()));
}

void check_object(const Place& reference, bool check_version, bool may_be_core) {
  check_segment(reference["kind"]);
  check_segment(reference["name"]);
  if (!check_version) return;
  const Place version = reference["apiVersion"];
  const auto parsed = model::GroupVersion::parse(version.text());
  if (!parsed)
    version.invalid(parsed.error().what());
  else if (!may_be_core && parsed->group.empty())
    version.invalid(Value(version.text()), "apiVersion must specify API group");
}

void check_target(const Place& target) {
  const std::string_view type = target["type"].text();
  target["type"].need("must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue")
    target["type"].invalid(Value(type), "must be either Utilization, Value, or AverageValue");
  for (std::string_view name : {"value", "averageValue"}) {
    const auto amount = core::quantity_of(target[name]);
    if (amount && *amount <= model::Quantity()) target[name].invalid("must be positive");
  }
  const Place utilization = target["averageUtilization"];
  if (utilization.present() && utilization.number() < 1)
    utilization.invalid("must be greater than 0");
}

void check_usage_target(const Place& target) {
  check_target(target);
  const bool raw = target["averageValue"].present();
  const bool share = target["averageUtilization"].present();
  if (!raw && !share)
    target["averageUtilization"].required(
        "must set either a target raw value or a target utilization");
  if (raw && share)
    target["averageValue"].forbidden(
        "may not set both a target raw value and a target utilization");
}

void check_object_source(const Place& source) {
  check_object(source["describedObject"], true, true);
  check_segment(source["metric"]["name"], "must specify a metric name");
  const Place target = source["target"];
  check_target(target);
  if (!target["value"].present() && !target["averageValue"].present())
    target["averageValue"].required("must set either a target value or averageValue");
}

void check_external_source(const Place& source) {
  check_segment(source["metric"]["name"], "must specify a metric name");
  const Place target = source["target"];
  check_target(target);
  const bool whole = target["value"].present();
  const bool each = target["averageValue"].present();
  if (!whole && !each)
    target["averageValue"].required(
        "must set either a target value for metric or a per-pod target");
  if (whole && each)
    target["value"].forbidden("may not set both a target value for metric and a per-pod target");
}

void check_pods_source(const Place& source) {
  check_segment(source["metric"]["name"], "must specify a metric name");
  check_target(source["target"]);
  if (!source["target"]["averageValue"].present())
    source["target"]["averageValue"].required("must specify a positive target averageValue");
}

void check_resource_source(const Place& source) {
  source["name"].need("must specify a resource name");
  check_usage_target(source["target"]);
}

void check_container_source(const Place& source) {
  if (source["name"].need("must specify a resource name"))
    core::check_container_resource_name(source["name"].text(), source["name"]);
  if (source["container"].need("must specify a container")) source["container"].dns_label();
  check_usage_target(source["target"]);
}

struct Source {
  std::string_view type, name;
  void (*check)(const Place& source);
};
constexpr Source kSources[] = {
    {"Object", "object", check_object_source},
    {"External", "external", check_external_source},
    {"Pods", "pods", check_pods_source},
    {"Resource", "resource", check_resource_source},
    {"ContainerResource", "containerResource", check_container_source},
};

void check_metric(const Place& metric) {
  const Place type = metric["type"];
  const auto refuse_type = [&] {
    type.unsupported({"ContainerResource", "External", "Object", "Pods", "Resource"});
  };
  const Source* wanted = nullptr;
  for (const Source& source : kSources)
    if (source.type == type.text()) wanted = &source;
  type.need("must specify a metric source type");
  if (wanted == nullptr) refuse_type();
  std::vector<const Source*> present;
  for (const Source& source : kSources)
    if (metric[source.name].present()) present.push_back(&source);
  if (!present.empty()) present[0]->check(metric[present[0]->name]);
  if (wanted == nullptr)
    refuse_type();
  else if (!metric[wanted->name].present())
    metric[wanted->name].required("must populate information for the given metric source");
  if (present.size() == 1) return;
  for (const Source* source : present)
    if (source != wanted)
      metric[source->name].forbidden("must populate the given metric source only");
}

void check_policy(const Place& rule) {
  rule["type"].one_of({"Percent", "Pods"});
  rule["value"].positive();
  rule["periodSeconds"].positive();
  if (rule["periodSeconds"].number() > kMaxPeriod)
    rule["periodSeconds"].invalid(fmt::format("must be less than or equal to {}", kMaxPeriod));
}

void check_scaling(const Place& rules) {
  if (!rules.present()) return;
  const Place window = rules["stabilizationWindowSeconds"];
  if (window.number() < 0) window.invalid("must be greater than or equal to zero");
  if (window.number() > kMaxWindow)
    window.invalid(fmt::format("must be less than or equal to {}", kMaxWindow));
  rules["selectPolicy"].one_of_if_present({"Disabled", "Max", "Min"});
  rules["policies"].need("must specify at least one Policy");
  rules["policies"].each(check_policy);
}

void check_metrics(const Place& spec) {
  const Place utilization = spec["targetCPUUtilizationPercentage"];
  if (utilization.present() && utilization.number() < 1)
    utilization.as("spec.metrics[0].resource.target.averageUtilization")
        .invalid("must be greater than 0");
  bool elsewhere = false;
  spec["metrics"].each([&](const Place& metric) {
    check_metric(metric);
    elsewhere |= metric["type"].text() == "Object" || metric["type"].text() == "External";
  });
  if (spec["minReplicas"].present() && spec["minReplicas"].number() == 0 && !elsewhere)
    spec["metrics"].forbidden(
        "must specify at least one Object or External metric to support scaling to zero replicas");
}

void check_spec(const Place& spec, const Value* old) {
  const Place min = spec["minReplicas"];
  const Place max = spec["maxReplicas"];
  const int64_t lowest =
      old != nullptr && model::int_at(*old, {"spec", "minReplicas"}, 1) == 0 ? 0 : 1;
  if (min.present() && min.number() < lowest)
    min.invalid(fmt::format("must be greater than or equal to {}", lowest));
  if (max.number() < 1) max.invalid(Value(max.number()), "must be greater than 0");
  if (min.present() && max.number() < min.number())
    max.invalid(Value(max.number()), "must be greater than or equal to `minReplicas`");
  const Place target = spec["scaleTargetRef"];
  const bool same =
      old != nullptr &&
      model::string_at(*old, {"spec", "scaleTargetRef", "kind"}) == target["kind"].text() &&
      model::string_at(*old, {"spec", "scaleTargetRef", "apiVersion"}) ==
          target["apiVersion"].text();
  check_object(target, !same, target["kind"].text() == "ReplicationController");
  check_metrics(spec);
  check_scaling(spec["behavior"]["scaleUp"]);
  check_scaling(spec["behavior"]["scaleDown"]);
}

void validate(const Value& autoscaler, model::FieldErrors& errors) {
  check_spec(Place(autoscaler, errors)["spec"], nullptr);
}

void validate_update(const Value& autoscaler, const Value& old, model::FieldErrors& errors) {
  check_spec(Place(autoscaler, errors)["spec"], &old);
}

void validate_status(const Value& autoscaler, const Value&, model::FieldErrors& errors) {
  const Place status = Place(autoscaler, errors)["status"];
  status["currentReplicas"].non_negative();
  status["desiredReplicas"].non_negative();
}

}  // namespace

constinit const KindRules kHorizontalPodAutoscaler = {
    .group = "autoscaling",
    .kind = "HorizontalPodAutoscaler",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = [](Value& autoscaler, const Value& old) { drop_tolerance(autoscaler, &old); },
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
};

}  // namespace holdfast::apiserver::network
