#include "storage.h"

#include "words.h"

#include <algorithm>

namespace holdfast::volumes {

using model::string_at;
using model::Value;

namespace {

void read_into(Storage& out, const kube::Cached& object) {
  out.object = object;
  out.value = object.shared_value();
  const Value& value = *out.value;
  out.ns = object.ns();
  out.name = object.name();
  out.uid = object.uid();
  out.deleting = object.being_deleted();
  out.phase = string_at(value, {"status", "phase"});
  // The annotation is older than the field, and wins as it does in the real manager.
  out.class_name = out.annotated(kClassAnnotation) ? out.annotation(kClassAnnotation)
                                                   : string_at(value, {"spec", "storageClassName"});
  out.block = string_at(value, {"spec", "volumeMode"}) == "Block";
  for (const Value& mode : model::array_at(value, {"spec", "accessModes"}))
    if (mode.is_string()) out.modes.insert(std::string(model::view(mode.get_string())));
}

bool allows(const Value& expression, std::string_view node) {
  if (string_at(expression, {"key"}) != kHostname || string_at(expression, {"operator"}) != "In")
    return false;
  const model::Array& values = model::array_at(expression, {"values"});
  return std::any_of(values.begin(), values.end(), [&](const Value& each) {
    return each.is_string() && model::view(each.get_string()) == node;
  });
}

}  // namespace

std::string_view Storage::annotation(std::string_view key) const {
  return string_at(*value, {"metadata", "annotations", key});
}

bool Storage::annotated(std::string_view key) const {
  return model::find(*value, {"metadata", "annotations", key}) != nullptr;
}

std::string_view Claim::provisioner() const {
  const std::string_view named = annotation(kProvisioner);
  return named.empty() ? annotation(kProvisionerBeta) : named;
}

bool Volume::meant_for(const Claim& claim) const {
  return has_claim && claim_ns == claim.ns && claim_name == claim.name &&
         (claim_uid.empty() || claim_uid == claim.uid);
}

bool Volume::reachable_from(std::string_view node) const {
  const Value* required = model::find(*value, {"spec", "nodeAffinity", "required"});
  if (required == nullptr) return true;
  const model::Array& terms = model::array_at(*required, {"nodeSelectorTerms"});
  return std::any_of(terms.begin(), terms.end(), [&](const Value& term) {
    const model::Array& expressions = model::array_at(term, {"matchExpressions"});
    return !expressions.empty() &&
           std::all_of(expressions.begin(), expressions.end(),
                       [&](const Value& expression) { return allows(expression, node); });
  });
}

model::Quantity quantity_at(const Value& root, std::initializer_list<std::string_view> path) {
  Result<model::Quantity> amount = model::Quantity::parse(string_at(root, path));
  return amount ? amount.take() : model::Quantity();
}

Claim read_claim(const kube::Cached& object) {
  Claim claim;
  read_into(claim, object);
  claim.volume_name = string_at(*claim.value, {"spec", "volumeName"});
  claim.requested = quantity_at(*claim.value, {"spec", "resources", "requests", "storage"});
  return claim;
}

Volume read_volume(const kube::Cached& object) {
  Volume volume;
  read_into(volume, object);
  const Value& value = *volume.value;
  volume.has_claim = model::find(value, {"spec", "claimRef"}) != nullptr;
  volume.claim_ns = string_at(value, {"spec", "claimRef", "namespace"});
  volume.claim_name = string_at(value, {"spec", "claimRef", "name"});
  volume.claim_uid = string_at(value, {"spec", "claimRef", "uid"});
  volume.capacity = quantity_at(value, {"spec", "capacity", "storage"});
  volume.reclaim = string_at(value, {"spec", "persistentVolumeReclaimPolicy"});
  return volume;
}

Class read_class(const kube::Cached& object) {
  const std::shared_ptr<const Value> shared = object.shared_value();
  const Value& value = *shared;
  return {.name = std::string(object.name()),
          .provisioner = std::string(string_at(value, {"provisioner"})),
          .reclaim = std::string(string_at(value, {"reclaimPolicy"})),
          .waits = string_at(value, {"volumeBindingMode"}) == "WaitForFirstConsumer",
          .expands = model::bool_at(value, {"allowVolumeExpansion"}, false)};
}

}  // namespace holdfast::volumes
