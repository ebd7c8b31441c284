#include "kinds/pod/rules.h"

#include "kinds/pod/pod.h"

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

/// The spec of a pod as it will be stored; made if the author wrote none, so that the complaints
/// name its fields.
Value& spec_of(Value& object) { return object_member(object, "spec"); }

void default_pod(Value& pod) {
  Value& spec = spec_of(pod);
  if (model::int_at(spec, {"terminationGracePeriodSeconds"}, 0) < 0)
    spec.get_object()["terminationGracePeriodSeconds"] = 1;
  default_pod_resources(spec);
  default_pod_spec(spec);
}

/// `key In (value of the pod's label)` for each key that the pod has.
void add_label_keys(Value& term, std::string_view keys, std::string_view op, const Value& pod) {
  const Value* wanted = model::find(term, {keys});
  Value* selector = model::find(term, {"labelSelector"});
  if (wanted == nullptr || selector == nullptr || !selector->is_object()) return;
  for (const Value& key : model::array_at(*wanted, {})) {
    const std::string_view name = model::string_at(key, {});
    const Value* label = model::find(pod, {"metadata", "labels", name});
    if (label == nullptr) continue;
    Value& expressions = selector->get_object()["matchExpressions"];
    if (!expressions.is_array()) expressions = model::Array();
    expressions.get_array().push_back(model::Object{
        {"key", Value(name)}, {"operator", Value(op)}, {"values", model::Array{*label}}});
  }
}

void add_pod_labels_to_selectors(Value& pod) {
  const Value labels = model::Object{
      {"metadata", model::Object{{"labels", model::object_at(pod, {"metadata", "labels"})}}}};
  auto apply = [&](Value& term) {
    add_label_keys(term, "matchLabelKeys", "In", labels);
    add_label_keys(term, "mismatchLabelKeys", "NotIn", labels);
  };
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    Value* affinity = model::find(pod, {"spec", "affinity", kind});
    if (affinity == nullptr) continue;
    each_element(*affinity, "preferredDuringSchedulingIgnoredDuringExecution",
                 [&](Value& weighted) {
                   if (Value* term = model::find(weighted, {"podAffinityTerm"})) apply(*term);
                 });
    each_element(*affinity, "requiredDuringSchedulingIgnoredDuringExecution", apply);
  }
  each_element(spec_of(pod), "topologySpreadConstraints", [&](Value& constraint) {
    add_label_keys(constraint, "matchLabelKeys", "In", labels);
  });
}

void prepare_pod(Value& pod) {
  Value& spec = spec_of(pod);
  model::Object status{{"phase", "Pending"}};
  if (!model::array_at(spec, {"schedulingGates"}).empty()) {
    const Value* created = model::find(pod, {"metadata", "creationTimestamp"});
    status["conditions"] = model::Array{
        model::Object{{"type", "PodScheduled"},
                      {"status", "False"},
                      {"lastProbeTime", nullptr},
                      {"lastTransitionTime", created == nullptr ? Value(nullptr) : *created},
                      {"reason", "SchedulingGated"},
                      {"message", "Scheduling is blocked due to non-empty scheduling gates"}}};
  }
  status["qosClass"] = quality_of_service(spec);
  pod.get_object()["status"] = std::move(status);
  drop_gated_fields(spec, nullptr);
  add_pod_labels_to_selectors(pod);
}

void prepare_pod_update(Value& pod, const Value& old) {
  drop_gated_fields(spec_of(pod), model::find(old, {"spec"}));
}

}  // namespace

constinit const KindRules kPod = {
    .group = "",
    .kind = "Pod",
    .set_defaults = default_pod,
    .prepare_create = prepare_pod,
    .prepare_update = prepare_pod_update,
};

constinit const KindRules kPodTemplate = {
    .group = "",
    .kind = "PodTemplate",
    .set_defaults = default_template,
    .prepare_create = [](Value& object) { drop_gated_template_fields(object, nullptr); },
    .prepare_update = [](Value& object,
                         const Value& old) { drop_gated_template_fields(object, &old); },
};

}  // namespace holdfast::apiserver::pod
