#include "binding/act.h"

#include "words.h"

namespace holdfast::volumes::binding {

using control::Decides;
using control::Write;
using model::Object;
using model::Value;

namespace {

Object annotations(std::initializer_list<std::pair<std::string_view, Value>> wanted) {
  Object out;
  for (const auto& [key, value] : wanted) out[key] = value;
  return Object{{"annotations", std::move(out)}};
}

Write patch_volume(const Volume& volume, Value merge) {
  return control::patch(kube::kVolumes, volume.object, std::move(merge), Decides::Yes);
}

Write patch_claim(const Claim& claim, Value merge) {
  return control::patch(kube::kClaims, claim.object, std::move(merge), Decides::Yes);
}

}  // namespace

Write bind_volume(const Volume& volume, const Claim& claim) {
  Value merge = Object{
      {"spec",
       Object{{"claimRef", Object{{"apiVersion", "v1"},
                                  {"kind", "PersistentVolumeClaim"},
                                  {"namespace", claim.ns},
                                  {"name", claim.name},
                                  {"uid", claim.uid},
                                  {"resourceVersion", std::to_string(claim.object.version())}}}}}};
  // What a person reserved stays reserved when the claim goes.
  if (!volume.has_claim) merge.as_object()["metadata"] = annotations({{kBoundByController, "yes"}});
  return patch_volume(volume, std::move(merge));
}

Write report_volume_phase(const Volume& volume, std::string_view phase) {
  Value merge = Object{{"status", Object{{"phase", phase}}}};
  return control::patch(kube::kVolumes, volume.object, std::move(merge), Decides::Yes, "status");
}

Write report_volume_bound(const Volume& volume) { return report_volume_phase(volume, "Bound"); }

Write bind_claim(const Claim& claim, const Volume& volume) {
  Value merge = Object{};
  Object metadata = annotations({{kBindCompleted, "yes"}});
  if (claim.volume_name.empty()) {
    metadata["annotations"].as_object()[kBoundByController] = "yes";
    merge.as_object()["spec"] = Object{{"volumeName", volume.name}};
  }
  merge.as_object()["metadata"] = std::move(metadata);
  return patch_claim(claim, std::move(merge));
}

Write report_bound(const Claim& claim, const Volume& volume) {
  Object status{{"phase", "Bound"}};
  status["accessModes"] = model::array_at(*volume.value, {"spec", "accessModes"});
  status["capacity"] = model::object_at(*volume.value, {"spec", "capacity"});
  Value merge = Object{{"status", std::move(status)}};
  return control::patch(kube::kClaims, claim.object, std::move(merge), Decides::Yes, "status");
}

Write report_phase(const Claim& claim, std::string_view phase) {
  // What a claim had been given is gone with its volume.
  Value merge =
      Object{{"status", Object{{"phase", phase}, {"accessModes", nullptr}, {"capacity", nullptr}}}};
  return control::patch(kube::kClaims, claim.object, std::move(merge), Decides::Yes, "status");
}

Write give_class(const Claim& claim, std::string_view class_name) {
  return patch_claim(claim, Object{{"spec", Object{{"storageClassName", class_name}}}});
}

Write ask_provisioner(const Claim& claim, std::string_view provisioner) {
  return patch_claim(claim,
                     Object{{"metadata", annotations({{kProvisioner, Value(provisioner)},
                                                      {kProvisionerBeta, Value(provisioner)}})}});
}

Write unbind_volume(const Volume& volume) {
  if (!volume.annotated(kBoundByController))
    return patch_volume(volume, Object{{"spec", Object{{"claimRef", Object{{"uid", nullptr}}}}}});
  return patch_volume(volume, Object{{"metadata", annotations({{kBoundByController, nullptr}})},
                                     {"spec", Object{{"claimRef", nullptr}}}});
}

}  // namespace holdfast::volumes::binding
