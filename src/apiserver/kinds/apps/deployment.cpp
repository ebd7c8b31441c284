#include "kinds/apps/apps.h"

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

}  // namespace

constinit const KindRules kDeployment = {
    .group = "apps",
    .kind = "Deployment",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
};

}  // namespace holdfast::apiserver::apps
