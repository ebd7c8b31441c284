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
  take_app_armor_annotations(pod);
  add_pod_labels_to_selectors(pod);
}

void prepare_pod_update(Value& pod, const Value& old) {
  drop_gated_fields(spec_of(pod), model::find(old, {"spec"}));
}

/// A token needs an account to be issued for.
void check_token_has_account(const Place& spec) {
  if (!spec["serviceAccountName"].empty()) return;
  spec["volumes"].each([](const Place& volume) {
    volume["projected"]["sources"].each([](const Place& source) {
      if (source["serviceAccountToken"].present())
        source["serviceAccountToken"].forbidden(
            "must not be specified when serviceAccountName is not set");
    });
  });
}

void check_pod(const Place& pod) {
  const Place spec = pod["spec"];
  check_pod_annotations(pod["metadata"]["annotations"], spec);
  check_spec(spec, &pod["metadata"].value());
  check_token_has_account(spec);
  check_images_have_no_spaces(spec);
}

void validate_pod(const Value& object, model::FieldErrors& errors) {
  const Place pod(object, errors);
  const Place spec = pod["spec"];
  check_pod(pod);
  if (!spec["ephemeralContainers"].empty())
    spec["ephemeralContainers"].forbidden("cannot be set on create");
  if (!spec["nodeName"].empty() && !spec["schedulingGates"].empty())
    spec["nodeName"].forbidden("cannot be set until all schedulingGates have been cleared");
  check_profiles_match_annotations(pod["metadata"]["annotations"].value(), spec);
}

void validate_pod_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place pod(object, errors);
  check_pod(pod);
  check_pod_update(pod, old);
}

void warn_pod(const Value& pod, std::vector<std::string>& warnings) {
  warn_about_name(pod, "the Pod's hostname", warnings);
  warn_about(pod, "", warnings);
}

void validate_template(const Value& object, model::FieldErrors& errors) {
  check_template(Place(object, errors)["template"]);
}

void validate_template_update(const Value& object, const Value&, model::FieldErrors& errors) {
  validate_template(object, errors);
}

void warn_template(const Value& object, std::vector<std::string>& warnings) {
  if (const Value* pod_template = model::find(object, {"template"}))
    warn_about(*pod_template, "template", warnings);
}

}  // namespace

constinit const KindRules kPod = {
    .group = "",
    .kind = "Pod",
    .set_defaults = default_pod,
    .prepare_create = prepare_pod,
    .prepare_update = prepare_pod_update,
    .validate = validate_pod,
    .validate_update = validate_pod_update,
    .validate_status = check_pod_status,
    .warn = warn_pod,
};

constinit const KindRules kPodTemplate = {
    .group = "",
    .kind = "PodTemplate",
    .set_defaults = default_template,
    .prepare_create = [](Value& object) { drop_gated_template_fields(object, nullptr); },
    .prepare_update = [](Value& object,
                         const Value& old) { drop_gated_template_fields(object, &old); },
    .validate = validate_template,
    .validate_update = validate_template_update,
    .warn = warn_template,
};

}  // namespace holdfast::apiserver::pod
