#include "provisioning/act.h"

#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::provisioning {

using control::Decides;
using control::Note;
using control::Write;
using model::Array;
using model::Object;
using model::Value;

namespace {

Value on_node(std::string_view node) {
  const Value here = Object{{"key", kHostname}, {"operator", "In"}, {"values", Array{Value(node)}}};
  const Value term = Object{{"matchExpressions", Array{here}}};
  return Object{{"required", Object{{"nodeSelectorTerms", Array{term}}}}};
}

Value claim_reference(const Claim& claim) {
  return Object{
      {"apiVersion", "v1"},    {"kind", "PersistentVolumeClaim"},
      {"namespace", claim.ns}, {"name", claim.name},
      {"uid", claim.uid},      {"resourceVersion", std::to_string(claim.object.version())}};
}

}  // namespace

control::Note failed_note(std::string_view class_name, std::string_view why) {
  return {.warning = true,
          .reason = "ProvisioningFailed",
          .message = fmt::format("failed to provision volume with StorageClass \"{}\": {}",
                                 class_name, why),
          .action = "Provisioning"};
}

Write create_volume(const Seen& seen) {
  const Claim& claim = seen.claim;
  const std::string name = volume_name(claim);
  Object annotations;
  annotations[kProvisionedBy] = kDriver;
  annotations[kProviderAnnotation] = seen.provider;
  Object metadata{{"name", name}, {"annotations", std::move(annotations)}};
  metadata["finalizers"] = Array{Value(kVolumeFinalizer)};
  Object spec{{"accessModes", model::array_at(*claim.value, {"spec", "accessModes"})},
              {"volumeMode", "Filesystem"},
              {"storageClassName", claim.class_name},
              {"persistentVolumeReclaimPolicy", seen.storage_class->reclaim}};
  spec["capacity"] = Object{{"storage", claim.requested.text()}};
  spec["claimRef"] = claim_reference(claim);
  spec["local"] = Object{{"path", seen.path}};
  spec["nodeAffinity"] = on_node(seen.node);
  Write write = control::create(kube::kVolumes, Object{{"apiVersion", "v1"},
                                                       {"kind", "PersistentVolume"},
                                                       {"metadata", std::move(metadata)},
                                                       {"spec", std::move(spec)}});
  write.note = Note{.reason = "ProvisioningSucceeded",
                    .message = fmt::format("Successfully provisioned volume {}", name),
                    .action = "Provisioning"};
  write.refused = failed_note(claim.class_name, "the volume object was refused");
  return write;
}

Write grow_volume(const Volume& volume, const Claim& claim) {
  Value merge = Object{{"spec", Object{{"capacity", Object{{"storage", claim.requested.text()}}}}}};
  Write write = control::patch(kube::kVolumes, volume.object, std::move(merge), Decides::Yes);
  write.note = Note{.reason = "Resizing",
                    .message = fmt::format("External resizer is resizing volume {}", volume.name),
                    .action = "Resizing"};
  return write;
}

Write report_grown(const Claim& claim, const Volume& volume) {
  Value merge =
      Object{{"status", Object{{"capacity", Object{{"storage", volume.capacity.text()}}}}}};
  Write write =
      control::patch(kube::kClaims, claim.object, std::move(merge), Decides::Yes, "status");
  write.note = Note{.reason = "VolumeResizeSuccessful",
                    .message = "Resize volume succeeded",
                    .action = "Resizing"};
  return write;
}

}  // namespace holdfast::volumes::provisioning
