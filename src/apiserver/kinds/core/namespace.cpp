/// Namespace: its name as a label, and the finalizer that holds it until it is empty.
#include "kinds/core/core.h"
#include "kinds/place.h"

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

/// A namespace that gets its name from generateName is labelled once it has it.
void label_with_name(Value& ns) {
  const std::string name(model::string_at(ns, {"metadata", "name"}));
  if (name.empty() || model::string_at(ns, {"metadata", "labels", kNameLabel}) == name) return;
  Value& labels = object_member(object_member(ns, "metadata"), "labels");
  labels.get_object()[kNameLabel] = name;
  sort_members(labels);
}

void set_defaults(Value& ns) {
  label_with_name(ns);
  default_member(object_member(ns, "status"), "phase", "Active");
}

void prepare_create(Value& ns) {
  label_with_name(ns);
  ns.get_object()["status"] = model::Object{{"phase", "Active"}};
  Value& finalizers = object_member(ns, "spec").get_object()["finalizers"];
  if (!finalizers.is_array()) finalizers = model::Array();
  for (const Value& each : finalizers.get_array())
    if (model::string_at(each, {}) == "kubernetes") return;
  finalizers.get_array().emplace_back("kubernetes");
}

void prepare_update(Value& ns, const Value& old) {
  label_with_name(ns);
  if (const Value* finalizers = model::find(old, {"spec", "finalizers"}))
    object_member(ns, "spec").get_object()["finalizers"] = *finalizers;
  else
    model::erase(ns, {"spec", "finalizers"});
}

void validate(const Value& ns, model::FieldErrors& errors) {
  const Place finalizers = Place(ns, errors)["spec"]["finalizers"];
  finalizers.each([&](const Place& item) {
    const Place name = item.as(finalizers.path());
    name.qualified_name();
    if (name.text().find('/') == std::string_view::npos && name.text() != "kubernetes" &&
        name.text() != "orphan" && name.text() != "foregroundDeletion")
      name.invalid("name is neither a standard finalizer name nor is it fully qualified");
  });
}

void validate_status(const Value& ns, const Value&, model::FieldErrors& errors) {
  const Place phase = Place(ns, errors)["status"]["phase"].as("status.Phase");
  const bool leaving = !model::string_at(ns, {"metadata", "deletionTimestamp"}).empty();
  if (!leaving && phase.text() != "Active")
    phase.invalid(Value(phase.text()), "may only be 'Active' if `deletionTimestamp` is empty");
  if (leaving && phase.text() != "Terminating")
    phase.invalid(Value(phase.text()),
                  "may only be 'Terminating' if `deletionTimestamp` is not empty");
}

}  // namespace

constinit const KindRules kNamespace = {
    .group = "",
    .kind = "Namespace",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate,
    .validate_status = validate_status,
    .name_rule = model::check_dns1123_label,
};

}  // namespace holdfast::apiserver::core
