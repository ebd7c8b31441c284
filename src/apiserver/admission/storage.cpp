// Admission of storage objects: the default class of claims, and the finalizers that keep what is
// in use.
#include "admission/plugins.h"
#include "rest/form.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view kBetaDefaultClass = "storageclass.beta.kubernetes.io/is-default-class";
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

void add_finalizer(Value& object, std::string_view finalizer) {
  Array finalizers = model::array_at(object, {"metadata", "finalizers"});
  for (const Value& each : finalizers)
    if (each.is_string() && model::view(each.get_string()) == finalizer) return;
  finalizers.emplace_back(finalizer);
  model::ensure_object(object, {"metadata"})["finalizers"] = std::move(finalizers);
}

}  // namespace

Answer<void> default_storage_class(Api& api, const Admission& admission) {
  if (!creates_core(admission, "persistentvolumeclaims")) return {};
  Value& claim = admission.object;
  if (model::find(claim, {"spec", "storageClassName"}) ||
      model::find(claim, {"metadata", "annotations", kClassAnnotation}))
    return {};
  const Result<Page> classes = api.store.list({.resource = "storage.k8s.io/storageclasses",
                                               .ns = {},
                                               .from_ns = "",
                                               .from_name = "",
                                               .limit = 0,
                                               .at = 0});
  if (!classes) return model::internal_error(classes.error().what());
  // Several defaults: the newest wins, then the first by name.
  const Stored* chosen = nullptr;
  for (const StoredPtr& each : classes->items) {
    const Value object = parse_stored(*each);
    const bool is_default =
        model::string_at(object, {"metadata", "annotations", kDefaultClass}) == "true" ||
        model::string_at(object, {"metadata", "annotations", kBetaDefaultClass}) == "true";
    if (is_default && (chosen == nullptr || each->created > chosen->created)) chosen = each.get();
  }
  if (chosen != nullptr)
    model::ensure_object(claim, {"spec"})["storageClassName"] = chosen->meta.name;
  return {};
}

Answer<void> storage_object_in_use_protection(Api&, const Admission& admission) {
  if (creates_core(admission, "persistentvolumeclaims"))
    add_finalizer(admission.object, "kubernetes.io/pvc-protection");
  if (creates_core(admission, "persistentvolumes"))
    add_finalizer(admission.object, "kubernetes.io/pv-protection");
  return {};
}

}  // namespace holdfast::apiserver
