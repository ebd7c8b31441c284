/// Deployment: replicas that roll from one template to the next.
#include "kinds/apps/apps.h"
#include "kinds/apps/workload.h"

namespace holdfast::apiserver::apps {

using model::Value;

namespace {

void set_defaults(Value& deployment) {
  Value& spec = object_member(deployment, "spec");
  default_member(spec, "replicas", 1);
  Value& strategy = object_member(spec, "strategy");
  default_member(strategy, "type", "RollingUpdate");
  if (model::string_at(strategy, {"type"}) == "RollingUpdate") {
    Value& rolling = object_member(strategy, "rollingUpdate");
    default_member(rolling, "maxUnavailable", "25%");
    default_member(rolling, "maxSurge", "25%");
  }
  default_member(spec, "revisionHistoryLimit", 10);
  default_member(spec, "progressDeadlineSeconds", 600);
  pod::default_template(spec);
}

void prepare_create(Value& deployment) {
  deployment.get_object()["status"] = model::Object();
  pod::drop_gated_template_fields(object_member(deployment, "spec"), nullptr);
}

void prepare_update(Value& deployment, const Value& old) {
  pod::drop_gated_template_fields(object_member(deployment, "spec"), model::find(old, {"spec"}));
}

/// The strategy as the real server's internal struct shows it.
Value shown_strategy(const Place& strategy) {
  Value shown = go_form(strategy.value(), {"Type", "RollingUpdate"});
  const Place rolling = strategy["rollingUpdate"];
  if (rolling.present())
    shown.get_object()["RollingUpdate"] = go_form(rolling.value(), {"MaxUnavailable", "MaxSurge"});
  return shown;
}

void check_strategy(const Place& strategy) {
  const std::string_view type = strategy["type"].text();
  const Place rolling = strategy["rollingUpdate"];
  if (type == "Recreate") {
    if (rolling.present())
      rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
    return;
  }
  if (type != "RollingUpdate")
    return strategy.unsupported(shown_strategy(strategy), {"Recreate", "RollingUpdate"});
  const Place unavailable = rolling["maxUnavailable"];
  const Place surge = rolling["maxSurge"];
  check_int_or_percent(unavailable);
  check_int_or_percent(surge);
  if (int_or_percent(unavailable) == 0 && int_or_percent(surge) == 0)
    unavailable.invalid("may not be 0 when `maxSurge` is 0");
  check_at_most_all(unavailable);
}

void validate(const Value& deployment, model::FieldErrors& errors) {
  const Place spec = Place(deployment, errors)["spec"];
  spec["replicas"].non_negative();
  check_required_selector(spec, "deployment");
  check_selected_template(spec, "ReplicaSet");
  check_strategy(spec["strategy"]);
  spec["minReadySeconds"].non_negative();
  spec["revisionHistoryLimit"].non_negative();
  const Place deadline = spec["progressDeadlineSeconds"];
  deadline.non_negative();
  if (deadline.present() && deadline.number() <= spec["minReadySeconds"].number())
    deadline.invalid("must be greater than minReadySeconds");
}

void validate_update(const Value& deployment, const Value& old, model::FieldErrors& errors) {
  validate(deployment, errors);
  const Value* selector = model::find(old, {"spec", "selector"});
  immutable(Place(deployment, errors)["spec"]["selector"],
            selector == nullptr ? Value() : *selector);
}

void validate_status(const Value& deployment, const Value& old, model::FieldErrors& errors) {
  const Place status = Place(deployment, errors)["status"];
  check_status_counts(
      status, {.non_negative = {"observedGeneration", "replicas", "updatedReplicas",
                                "readyReplicas", "availableReplicas", "unavailableReplicas",
                                "terminatingReplicas", "collisionCount"},
               .at_most_replicas = {"updatedReplicas", "readyReplicas", "availableReplicas"}});
  check_collisions_grow(status, old);
}

void warn(const Value& deployment, std::vector<std::string>& warnings) {
  pod::warn_about_name(deployment, "Pod names and hostnames", warnings);
  if (const Value* pod_template = model::find(deployment, {"spec", "template"}))
    pod::warn_about(*pod_template, "spec.template", warnings);
}

}  // namespace

constinit const KindRules kDeployment = {
    .group = "apps",
    .kind = "Deployment",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
    .warn = warn,
};

}  // namespace holdfast::apiserver::apps
