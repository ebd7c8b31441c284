/// StatefulSet: pods with names and volumes of their own; most of its spec never changes.
#include "kinds/apps/apps.h"
#include "kinds/apps/workload.h"

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

Value shown_rolling_update(const Place& rolling) {
  if (!rolling.present()) return nullptr;
  Value shown = go_form(rolling.value(), {"Partition", "MaxUnavailable"});
  default_member(shown, "Partition", 0);
  return shown;
}

void check_strategy(const Place& strategy) {
  const std::string_view type = strategy["type"].text();
  const Place rolling = strategy["rollingUpdate"];
  if (type == "OnDelete") {
    if (rolling.present())
      rolling.invalid(shown_rolling_update(rolling),
                      "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type == "RollingUpdate") {
    rolling["partition"].non_negative();
  } else {
    strategy.invalid(
        model::Object{{"Type", Value(type)}, {"RollingUpdate", shown_rolling_update(rolling)}},
        "must be 'RollingUpdate' or 'OnDelete'");
  }
}

/// The template as its pods will be: with a volume for each claim, under a name and subdomain of
/// the set's choice.
Value template_of_pods(const Place& spec) {
  Value out = spec["template"].value();
  if (!out.is_object()) return out;
  Value& pod_spec = object_member(out, "spec");
  model::erase(pod_spec, {"hostname"});
  model::erase(pod_spec, {"subdomain"});
  model::Array volumes;
  for (const Value& claim : spec["volumeClaimTemplates"].items()) {
    const Value name(model::string_at(claim, {"metadata", "name"}));
    volumes.push_back(model::Object{{"name", name},
                                    {"persistentVolumeClaim", model::Object{{"claimName", name}}}});
  }
  const size_t claims = volumes.size();
  if (claims == 0) return out;
  for (const Value& volume : model::array_at(pod_spec, {"volumes"})) {
    const std::string_view name = model::string_at(volume, {"name"});
    const bool hidden =
        std::any_of(volumes.begin(), volumes.begin() + long(claims),
                    [&](const Value& each) { return model::string_at(each, {"name"}) == name; });
    if (!hidden) volumes.push_back(volume);
  }
  pod_spec.get_object()["volumes"] = std::move(volumes);
  return out;
}

void check_template_of_pods(const Place& spec) {
  const Place selector = spec["selector"];
  const Place labels = spec["template"]["metadata"]["labels"];
  const Match match = match_labels(selector.value(), labels.value());
  if (match == Match::Unparsable) return selector.invalid("");
  const bool selects = !selector.present() || !selects_everything(selector.value());
  if (selects && match == Match::No) labels.invalid("`selector` does not match template `labels`");
  const Value pod_template = template_of_pods(spec);
  const Place place(&pod_template, spec["template"].path(), spec.errors());
  pod::check_template(place);
  // The real server checks these a second time; a client sees each error once, but twice among the
  // causes.
  check_labels(place["metadata"]["labels"].as(model::child(place.path(), "labels")));
  const Place annotations =
      place["metadata"]["annotations"].as(model::child(place.path(), "annotations"));
  check_annotations(annotations);
  pod::check_pod_annotations(annotations, place["spec"]);
}

void check_spec(const Place& spec, bool creating) {
  const Place policy = spec["podManagementPolicy"];
  if (policy.text() != "OrderedReady" && policy.text() != "Parallel")
    policy.invalid("must be 'OrderedReady' or 'Parallel'");
  check_strategy(spec["updateStrategy"]);
  for (std::string_view when : {"whenDeleted", "whenScaled"})
    spec["persistentVolumeClaimRetentionPolicy"][when].one_of({"Retain", "Delete"});
  if (creating)
    spec["volumeClaimTemplates"].each([](const Place& claim) { check_claim_spec(claim["spec"]); });
  spec["replicas"].non_negative();
  spec["minReadySeconds"].non_negative();
  spec["ordinals"]["start"].non_negative();
  if (creating && !spec["serviceName"].empty()) spec["serviceName"].dns_label();
  check_required_selector(spec, "statefulset");
  check_template_of_pods(spec);
  check_restarts_always(spec, "StatefulSet");
}

void validate(const Value& set, model::FieldErrors& errors) {
  check_spec(Place(set, errors)["spec"], true);
}

void validate_update(const Value& set, const Value& old, model::FieldErrors& errors) {
  const Place spec = Place(set, errors)["spec"];
  check_spec(spec, false);
  Value now = spec.value();
  const Value* old_spec = model::find(old, {"spec"});
  Value before = old_spec == nullptr ? Value(model::Object()) : *old_spec;
  for (std::string_view may_change :
       {"replicas", "template", "updateStrategy", "minReadySeconds", "ordinals",
        "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"}) {
    model::erase(now, {may_change});
    model::erase(before, {may_change});
  }
  if (!model::equal(now, before))
    spec.forbidden(
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
        "'updateStrategy', "
        "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
        "forbidden");
}

void validate_status(const Value& set, const Value& old, model::FieldErrors& errors) {
  const Place status = Place(set, errors)["status"];
  check_status_counts(
      status, {.non_negative = {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
                                "availableReplicas", "observedGeneration", "collisionCount"},
               .at_most_replicas = {"readyReplicas", "currentReplicas", "updatedReplicas",
                                    "availableReplicas"},
               .ready_word = "status.readyReplicas"});
  check_collisions_grow(status, old);
}

void warn(const Value& set, std::vector<std::string>& warnings) {
  if (const Value* pod_template = model::find(set, {"spec", "template"}))
    pod::warn_about(*pod_template, "spec.template", warnings);
  if (model::int_at(set, {"spec", "revisionHistoryLimit"}, 0) < 0)
    warnings.emplace_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 is recommended");
}

}  // namespace

constinit const KindRules kStatefulSet = {
    .group = "apps",
    .kind = "StatefulSet",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
    .name_rule = model::check_dns1123_label,
    .warn = warn,
};

}  // namespace holdfast::apiserver::apps
