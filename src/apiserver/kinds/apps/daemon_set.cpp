#include "kinds/apps/apps.h"

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

}  // namespace

constinit const KindRules kDaemonSet = {
    .group = "apps",
    .kind = "DaemonSet",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
};

}  // namespace holdfast::apiserver::apps
