/// ReplicaSet, and its elder ReplicationController, which differs in its selector: a plain map that
/// may come from the labels.
#include "kinds/apps/apps.h"
#include "kinds/apps/workload.h"

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

void validate_replica_set(const Value& set, model::FieldErrors& errors) {
  const Place spec = Place(set, errors)["spec"];
  spec["replicas"].non_negative();
  spec["minReadySeconds"].non_negative();
  check_required_selector(spec, "deployment");  // the real server says so of ReplicaSets too
  check_selected_template(spec, "ReplicaSet");
}

void validate_replica_set_update(const Value& set, const Value& old, model::FieldErrors& errors) {
  validate_replica_set(set, errors);
  const Value* selector = model::find(old, {"spec", "selector"});
  immutable(Place(set, errors)["spec"]["selector"], selector == nullptr ? Value() : *selector);
}

bool is_subset(const model::Object& selector, const Place& labels) {
  for (const auto& each : selector) {
    const Value* label = labels.members().if_contains(each.key());
    if (label == nullptr || !model::equal(*label, each.value())) return false;
  }
  return true;
}

void validate_replication_controller(const Value& controller, model::FieldErrors& errors) {
  const Place spec = Place(controller, errors)["spec"];
  spec["minReadySeconds"].non_negative();
  spec["selector"].need();
  spec["replicas"].non_negative();
  if (!spec["template"].present()) return spec["template"].required();
  const Place labels = spec["template"]["metadata"]["labels"];
  if (!is_subset(spec["selector"].members(), labels))
    labels.invalid("`selector` does not match template `labels`");
  pod::check_template(spec["template"]);
  check_restarts_always(spec, "ReplicationController");
}

void validate_replication_controller_update(const Value& controller, const Value&,
                                            model::FieldErrors& errors) {
  validate_replication_controller(controller, errors);
  validate_replication_controller(
      controller, errors);  // the real server checks twice, and clients see the causes twice
}

void validate_status(const Value& set, const Value&, model::FieldErrors& errors) {
  check_status_counts(
      Place(set, errors)["status"],
      {.non_negative = {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
                        "observedGeneration", "terminatingReplicas"},
       .at_most_replicas = {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}});
}

void warn(const Value& set, std::vector<std::string>& warnings) {
  pod::warn_about_name(set, "Pod names and hostnames", warnings);
  if (const Value* pod_template = model::find(set, {"spec", "template"}))
    pod::warn_about(*pod_template, "spec.template", warnings);
}

}  // namespace

constinit const KindRules kReplicaSet = {
    .group = "apps",
    .kind = "ReplicaSet",
    .set_defaults = default_replica_set,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate_replica_set,
    .validate_update = validate_replica_set_update,
    .validate_status = validate_status,
    .warn = warn,
};

constinit const KindRules kReplicationController = {
    .group = "",
    .kind = "ReplicationController",
    .set_defaults = default_replication_controller,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate_replication_controller,
    .validate_update = validate_replication_controller_update,
    .validate_status = validate_status,
    .warn = warn,
};

}  // namespace holdfast::apiserver::apps
