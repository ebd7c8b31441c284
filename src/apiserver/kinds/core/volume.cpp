/// PersistentVolume.
#include "kinds/core/core.h"
#include "kinds/core/resources.h"
#include "kinds/core/volume_sources.h"
#include "kinds/go_struct.h"
#include "kinds/pod/pod.h"

#include <fmt/format.h>

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr std::string_view kMountOptions = "volume.beta.kubernetes.io/mount-options";
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

void set_defaults(Value& volume) {
  Value& spec = object_member(volume, "spec");
  default_member(object_member(volume, "status"), "phase", "Pending");
  default_member(spec, "persistentVolumeReclaimPolicy", "Retain");
  default_member(spec, "volumeMode", "Filesystem");
  default_volume_source(spec);
}

/// The phase begins when the volume does.
void prepare_create(Value& volume) {
  model::Object status{{"phase", "Pending"}};
  const std::string_view created = model::string_at(volume, {"metadata", "creationTimestamp"});
  if (!created.empty()) status["lastPhaseTransitionTime"] = created;
  volume.get_object()["status"] = std::move(status);
}

/// A client that does not say when the phase changed means now.
void prepare_status(Value& volume, const Value& old, std::string_view now) {
  constexpr std::string_view kTime = "lastPhaseTransitionTime";
  const std::string_view given = model::string_at(volume, {"status", kTime});
  const std::string_view before = model::string_at(old, {"status", kTime});
  const bool changed =
      model::string_at(volume, {"status", "phase"}) != model::string_at(old, {"status", "phase"});
  if (!changed && given.empty() && !before.empty())
    object_member(volume, "status").get_object()[kTime] = before;
  if (changed && (given.empty() || given == before))
    object_member(volume, "status").get_object()[kTime] = now;
}

void check_access_modes(const Place& modes) {
  modes.need();
  bool only_one_pod = false;
  bool others = false;
  modes.each([&](const Place& mode) {
    const size_t errors = mode.errors().size();
    mode.as(modes.path())
        .one_of({"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    const bool known = mode.errors().size() == errors;
    (mode.text() == "ReadWriteOncePod" ? only_one_pod : others) |= known;
  });
  if (only_one_pod && others)
    modes.forbidden("may not use ReadWriteOncePod with other access modes");
}

void check_capacity(const Place& capacity) {
  capacity.need();
  if (!capacity["storage"].present() || capacity.members().size() > 1)
    capacity.unsupported(capacity.present() ? capacity.value() : Value(nullptr), {"storage"});
  capacity.each_entry([](std::string_view, const Place& entry) {
    const auto amount = quantity_of(entry);
    if (!amount) return;
    if (amount->value() < 0)
      entry.invalid(Value(amount->value()), "must be a valid resource quantity");
    if (*amount <= model::Quantity()) entry.invalid("must be greater than zero");
  });
}

void check_node_affinity(const Place& affinity) {
  if (!affinity.present()) return;
  if (affinity["required"].present())
    pod::check_node_selector(affinity["required"]);
  else
    affinity["required"].required("must specify required node constraints");
}

void check_attributes_class(const Place& spec) {
  const Place name = spec["volumeAttributesClassName"];
  if (!name.present()) return;
  if (name.text().empty())
    name.required("an empty string is disallowed");
  else
    name.dns_subdomain();
  if (!spec["csi"].present())
    spec["csi"].required("has to be specified when using volumeAttributesClassName");
}

bool is_root(std::string_view path) {
  return !path.empty() && path.find_first_not_of("/.") == std::string_view::npos && path[0] == '/';
}

void check_spec(const Place& spec, std::string_view name) {
  check_access_modes(spec["accessModes"]);
  check_capacity(spec["capacity"]);
  const Place policy = spec["persistentVolumeReclaimPolicy"];
  if (!policy.empty()) policy.one_of({"Delete", "Recycle", "Retain"});
  check_node_affinity(spec["nodeAffinity"]);
  check_volume_source(spec, name);
  if (is_root(spec["hostPath"]["path"].text()) && policy.text() == "Recycle")
    policy.forbidden("may not be 'recycle' for a hostPath mount of '/'");
  if (!spec["storageClassName"].empty()) spec["storageClassName"].dns_subdomain();
  spec["volumeMode"].one_of_if_present({"Block", "Filesystem"});
  check_attributes_class(spec);
}

void check_mount_options(const Place& volume) {
  for (std::string_view mountable :
       {"gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi",
        "cinder", "cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"})
    if (volume["spec"][mountable].present()) return;
  const Place option = volume["metadata"]["annotations"][kMountOptions];
  if (option.present()) option.forbidden("may not specify mount options for this volume type");
}

void validate(const Value& object, model::FieldErrors& errors) {
  const Place volume(object, errors);
  check_spec(volume["spec"], volume["metadata"]["name"].text());
  check_mount_options(volume);
}

Value member(const Value& object, std::string_view name) {
  const Value* found = model::find(object, {"spec", name});
  return found == nullptr ? Value() : *found;
}

Value shown_requirements(const Value& term, std::string_view name) {
  const model::Array& requirements = model::array_at(term, {name});
  if (requirements.empty()) return nullptr;
  model::Array out;
  for (const Value& requirement : requirements)
    out.push_back(go_struct(
        requirement, {{"Key", "key"}, {"Operator", "operator"}, {"Values", "values", Zero::Null}}));
  return out;
}

/// core.VolumeNodeAffinity
Value shown_affinity(const Value& affinity) {
  if (!affinity.is_object()) return nullptr;
  model::Array terms;
  for (const Value& term : model::array_at(affinity, {"required", "nodeSelectorTerms"}))
    terms.push_back(
        model::Object{{"MatchExpressions", shown_requirements(term, "matchExpressions")},
                      {"MatchFields", shown_requirements(term, "matchFields")}});
  if (model::find(affinity, {"required"}) == nullptr) return model::Object{{"Required", nullptr}};
  return model::Object{{"Required", model::Object{{"NodeSelectorTerms", std::move(terms)}}}};
}

void check_source_kept(const Place& volume, const Value& old) {
  Value now = volume["spec"].value();
  const Value* before = model::find(old, {"spec"});
  if (before == nullptr) return;
  // A secret for expansion may be added to a volume that has none.
  if (model::find(*before, {"csi"}) != nullptr &&
      model::find(*before, {"csi", "controllerExpandSecretRef"}) == nullptr)
    model::erase(now, {"csi", "controllerExpandSecretRef"});
  if (model::equal(sources_of(now), sources_of(*before))) return;
  volume.as("spec.persistentvolumesource")
      .forbidden("spec.persistentvolumesource is immutable after creation\n" +
                 go_diff(shown_sources(*before), shown_sources(now)));
}

/// The real server looks at the spec twice, and says twice what is wrong with it.
void validate_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place volume(object, errors);
  validate(object, errors);
  check_spec(volume["spec"], volume["metadata"]["name"].text());
  check_source_kept(volume, old);
  immutable(volume["spec"]["volumeMode"].as("volumeMode"), member(old, "volumeMode"));
  const Place affinity = volume["spec"]["nodeAffinity"].as("nodeAffinity");
  const Value affinity_before = member(old, "nodeAffinity");
  if (affinity_before.is_object() && !model::equal(affinity.value(), affinity_before))
    affinity.invalid(shown_affinity(affinity.value()),
                     "field is immutable, except for updating from beta label to GA");
  const Place name = volume["spec"]["volumeAttributesClassName"];
  if (!name.present() && !member(old, "volumeAttributesClassName").is_null())
    name.forbidden("update from non-nil value to nil is forbidden");
}

void warn(const Value& volume, std::vector<std::string>& warnings) {
  for (auto [name, message] :
       {std::pair(kClassAnnotation,
                  "deprecated since v1.8; use \"storageClassName\" attribute instead"),
        {kMountOptions, "deprecated since v1.31; use \"mountOptions\" attribute instead"}})
    if (model::find(volume, {"metadata", "annotations", name}) != nullptr)
      warnings.push_back(fmt::format("metadata.annotations[{}]: {}", name, message));
  if (model::string_at(volume, {"spec", "persistentVolumeReclaimPolicy"}) == "Recycle")
    warnings.push_back(
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
        "the recommended approach is to use dynamic provisioning.");
  for (auto [name, path, since] :
       {std::tuple("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
        {"photonPersistentDisk", "photonPersistentDisk",
         "deprecated in v1.11, non-functional in v1.16+"},
        {"scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
        {"storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
        {"glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
        {"rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"}})
    if (model::find(volume, {"spec", name}) != nullptr)
      warnings.push_back(fmt::format("spec.{}: {}", path, since));
}

}  // namespace

constinit const KindRules kPersistentVolume = {
    .group = "",
    .kind = "PersistentVolume",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_status = prepare_status,
    .validate = validate,
    .validate_update = validate_update,
    .warn = warn,
};

}  // namespace holdfast::apiserver::core
