/// DaemonSet: one pod on every node that fits.
#include "kinds/apps/apps.h"
#include "kinds/apps/workload.h"

#include <charconv>

namespace holdfast::apiserver::apps {

using model::Value;

namespace {

/// Counts changes of the template; lives on as an annotation since apps/v1 has no field for it.
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

void set_defaults(Value& set) {
  Value& spec = object_member(set, "spec");
  Value& strategy = object_member(spec, "updateStrategy");
  default_member(strategy, "type", "RollingUpdate");
  if (model::string_at(strategy, {"type"}) == "RollingUpdate") {
    Value& rolling = object_member(strategy, "rollingUpdate");
    default_member(rolling, "maxUnavailable", 1);
    default_member(rolling, "maxSurge", 0);
  }
  default_member(spec, "revisionHistoryLimit", 10);
  pod::default_template(spec);
}

int64_t template_generation(const Value& set) {
  const std::string_view text =
      model::string_at(set, {"metadata", "annotations", kTemplateGeneration});
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void set_template_generation(Value& set, int64_t number) {
  Value& annotations = object_member(object_member(set, "metadata"), "annotations");
  annotations.get_object()[kTemplateGeneration] = std::to_string(number);
}

void prepare_create(Value& set) {
  set.get_object()["status"] = model::Object{{"currentNumberScheduled", 0},
                                             {"numberMisscheduled", 0},
                                             {"desiredNumberScheduled", 0},
                                             {"numberReady", 0}};
  set_template_generation(set, std::max<int64_t>(1, template_generation(set)));
  pod::drop_gated_template_fields(object_member(set, "spec"), nullptr);
}

void prepare_update(Value& set, const Value& old) {
  pod::drop_gated_template_fields(object_member(set, "spec"), model::find(old, {"spec"}));
  const Value* now = model::find(set, {"spec", "template"});
  const Value* before = model::find(old, {"spec", "template"});
  const bool same = now != nullptr && before != nullptr && model::equal(*now, *before);
  set_template_generation(set, template_generation(old) + (same ? 0 : 1));
}

void check_rolling_update(const Place& rolling) {
  const Place unavailable = rolling["maxUnavailable"];
  const Place surge = rolling["maxSurge"];
  for (const Place& amount : {unavailable, surge}) check_int_or_percent(amount);
  for (const Place& amount : {unavailable, surge}) check_at_most_all(amount);
  const bool has_unavailable = int_or_percent(unavailable) != 0;
  const bool has_surge = int_or_percent(surge) != 0;
  if (has_unavailable && has_surge) surge.invalid("may not be set when maxUnavailable is non-zero");
  if (!has_unavailable && !has_surge) unavailable.required("cannot be 0 when maxSurge is 0");
}

void check_strategy(const Place& strategy) {
  const std::string_view type = strategy["type"].text();
  if (type == "OnDelete") return;
  if (type == "RollingUpdate") return check_rolling_update(strategy["rollingUpdate"]);
  Value shown = go_form(strategy.value(), {"Type", "RollingUpdate"});
  const Place rolling = strategy["rollingUpdate"];
  if (rolling.present())
    shown.get_object()["RollingUpdate"] = go_form(rolling.value(), {"MaxUnavailable", "MaxSurge"});
  strategy.unsupported(std::move(shown), {"RollingUpdate", "OnDelete"});
}

void validate(const Value& set, model::FieldErrors& errors) {
  const Place spec = Place(set, errors)["spec"];
  const Place selector = spec["selector"];
  const Place labels = spec["template"]["metadata"]["labels"];
  check_label_selector(selector);
  if (match_labels(selector.value(), labels.value()) == Match::No)
    labels.invalid("`selector` does not match template `labels`");
  if (selector.present() && selects_everything(selector.value()))
    selector.invalid("empty selector is invalid for daemonset");
  pod::check_template(spec["template"]);
  check_restarts_always(spec, "DaemonSet");
  spec["minReadySeconds"].non_negative();
  check_strategy(spec["updateStrategy"]);
  spec["revisionHistoryLimit"].non_negative();
}

void validate_update(const Value& set, const Value& old, model::FieldErrors& errors) {
  const Value* selector = model::find(old, {"spec", "selector"});
  immutable(Place(set, errors)["spec"]["selector"], selector == nullptr ? Value() : *selector);
  validate(set, errors);
}

void validate_status(const Value& set, const Value& old, model::FieldErrors& errors) {
  const Place status = Place(set, errors)["status"];
  check_status_counts(
      status,
      {.non_negative = {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
                        "numberReady", "observedGeneration", "updatedNumberScheduled",
                        "numberAvailable", "numberUnavailable", "collisionCount"},
       .at_most_replicas = {}});
  check_collisions_grow(status, old);
}

void warn(const Value& set, std::vector<std::string>& warnings) {
  if (const Value* pod_template = model::find(set, {"spec", "template"}))
    pod::warn_about(*pod_template, "spec.template", warnings);
}

}  // namespace

constinit const KindRules kDaemonSet = {
    .group = "apps",
    .kind = "DaemonSet",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
    .warn = warn,
};

}  // namespace holdfast::apiserver::apps
