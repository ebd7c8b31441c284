/// ReplicaSet, and its elder ReplicationController, which differs in its selector: a plain map that
/// may come from the labels.
#include "kinds/apps/apps.h"

namespace holdfast::apiserver::apps {

using model::Value;

namespace {

void default_replica_set(Value& set) {
  Value& spec = object_member(set, "spec");
  default_member(spec, "replicas", 1);
  pod::default_template(spec);
}

void default_replication_controller(Value& controller) {
  Value& spec = object_member(controller, "spec");
  const model::Object labels = model::object_at(spec, {"template", "metadata", "labels"});
  if (!labels.empty()) {
    if (model::object_at(spec, {"selector"}).empty()) spec.get_object()["selector"] = labels;
    if (model::object_at(controller, {"metadata", "labels"}).empty())
      object_member(controller, "metadata").get_object()["labels"] = labels;
  }
  default_member(spec, "replicas", 1);
  pod::default_template(spec);
}

void prepare_create(Value& set) {
  set.get_object()["status"] = model::Object{{"replicas", 0}};
  pod::drop_gated_template_fields(object_member(set, "spec"), nullptr);
}

void prepare_update(Value& set, const Value& old) {
  pod::drop_gated_template_fields(object_member(set, "spec"), model::find(old, {"spec"}));
}

}  // namespace

constinit const KindRules kReplicaSet = {
    .group = "apps",
    .kind = "ReplicaSet",
    .set_defaults = default_replica_set,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
};

constinit const KindRules kReplicationController = {
    .group = "",
    .kind = "ReplicationController",
    .set_defaults = default_replication_controller,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
};

}  // namespace holdfast::apiserver::apps
