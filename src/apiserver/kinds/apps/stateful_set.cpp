#include "kinds/apps/apps.h"

namespace holdfast::apiserver::apps {

using model::Value;

namespace {

void default_claim_template(Value& claim) {
  claim.get_object()["apiVersion"] = "v1";
  claim.get_object()["kind"] = "PersistentVolumeClaim";
  pod::default_claim_spec(object_member(claim, "spec"));
  default_member(object_member(claim, "status"), "phase", "Pending");
}

void set_defaults(Value& set) {
  Value& spec = object_member(set, "spec");
  default_member(spec, "podManagementPolicy", "OrderedReady");
  Value& strategy = object_member(spec, "updateStrategy");
  if (model::string_at(strategy, {"type"}).empty()) {
    default_member(strategy, "type", "RollingUpdate");
    object_member(strategy, "rollingUpdate");
  }
  if (model::string_at(strategy, {"type"}) == "RollingUpdate")
    if (Value* rolling = model::find(strategy, {"rollingUpdate"}))
      default_member(*rolling, "partition", 0);
  Value& retention = object_member(spec, "persistentVolumeClaimRetentionPolicy");
  default_member(retention, "whenDeleted", "Retain");
  default_member(retention, "whenScaled", "Retain");
  default_member(spec, "replicas", 1);
  default_member(spec, "revisionHistoryLimit", 10);
  pod::default_template(spec);
  each_element(spec, "volumeClaimTemplates", default_claim_template);
}

/// maxUnavailable belongs to a feature that is off in 1.34.
void drop_gated_fields(Value& set, const Value* old) {
  const auto path = {std::string_view("spec"), std::string_view("updateStrategy"),
                     std::string_view("rollingUpdate"), std::string_view("maxUnavailable")};
  if (old == nullptr || model::find(*old, path) == nullptr) model::erase(set, path);
  pod::drop_gated_template_fields(object_member(set, "spec"),
                                  old == nullptr ? nullptr : model::find(*old, {"spec"}));
}

void prepare_create(Value& set) {
  set.get_object()["status"] = model::Object{{"replicas", 0}, {"availableReplicas", 0}};
  drop_gated_fields(set, nullptr);
}

void prepare_update(Value& set, const Value& old) { drop_gated_fields(set, &old); }

}  // namespace

constinit const KindRules kStatefulSet = {
    .group = "apps",
    .kind = "StatefulSet",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
};

}  // namespace holdfast::apiserver::apps
