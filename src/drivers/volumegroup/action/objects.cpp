#include "action/objects.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/pods.h>

#include "action/catalogue.h"
#include "action/source_plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {

using control::Decides;
using control::Write;
using model::Array;
using model::Object;
using model::Value;
using protect::DataMove;

namespace {

const Frozen& frozen_of(const ActionSeen& seen) { return *seen.action.status.frozen; }

Write create_move(const ActionSeen& seen, const std::string& ns, const std::string& name,
                  const DataMove& move) {
  Value object = model::encode_object(move);
  object.as_object()["metadata"] = marked(seen, ns, name);
  return control::create(kube::resource_of<DataMove>(), std::move(object));
}

Object claim_spec(const ActionSeen& seen, const ClaimRecord& claim, const std::string& size) {
  const auto& restore = seen.action.status.restore;
  std::string storage = claim.storage_class;
  if (restore)
    if (const auto other = restore->storage_classes.find(storage);
        other != restore->storage_classes.end())
      storage = other->second;
  Array modes;
  for (const std::string& each : claim.access_modes) modes.emplace_back(each);
  Object spec{{"accessModes", std::move(modes)},
              {"resources", Object{{"requests", Object{{"storage", size}}}}}};
  if (!storage.empty()) spec["storageClassName"] = storage;
  if (!claim.volume_mode.empty()) spec["volumeMode"] = claim.volume_mode;
  return spec;
}

std::string staged(const ActionSeen& seen, size_t member) {
  return staged_name(seen.action.status, seen.uid, frozen_of(seen).claims[member]);
}

const std::string& snapshot_name(const ActionSeen& seen, size_t member) {
  return seen.action.status.triggered->references.resources[member].items.at("snapshot").front();
}

}  // namespace

Object marked(const ActionSeen& seen, const std::string& ns, const std::string& name) {
  return control::made_metadata(kActionMark, {seen.ns, seen.name, seen.uid}, ns, name);
}

Value object_of(const kube::Resource& resource, Object metadata, Object spec) {
  return Object{{"apiVersion", resource.api_version()},
                {"kind", resource.kind},
                {"metadata", std::move(metadata)},
                {"spec", std::move(spec)}};
}

std::string cut_name(const ActionSeen& seen, const ClaimRecord* claim) {
  return made_name(seen.uid, claim != nullptr ? identity(*claim) : "", "snapshot");
}

Value cut_of(const ActionSeen& seen, const ClaimRecord& claim) {
  return object_of(kube::kVolumeSnapshots, marked(seen, claim.ns, cut_name(seen, &claim)),
                   {{"source", Object{{"persistentVolumeClaimName", claim.name}}},
                    {"volumeSnapshotClassName", claim.snapshot_class}});
}

std::vector<CutObject> cut_objects(const ActionSeen& seen) {
  const Frozen& frozen = frozen_of(seen);
  std::vector<CutObject> out;
  if (frozen.cut == Cut::Group) {
    // Only matchLabels count: a selector with expressions alone would take every claim there is.
    Object labels;
    labels[cut_label(seen.uid)] = "true";
    Object spec{{"source", Object{{"selector", Object{{"matchLabels", std::move(labels)}}}}},
                {"volumeGroupSnapshotClassName", frozen.group_class}};
    out.push_back({seen.group_kinds.snapshots,
                   object_of(seen.group_kinds.snapshots,
                             marked(seen, frozen.ns, cut_name(seen, nullptr)), std::move(spec))});
    return out;
  }
  for (const ClaimRecord& claim : frozen.claims)
    out.push_back({kube::kVolumeSnapshots, cut_of(seen, claim)});
  return out;
}

Write remove_trigger(const ActionSeen& seen) {
  Object labels;
  labels[seen.label_key] = nullptr;
  return control::patch(kube::resource_of<VolumeGroupAction>(), seen.object,
                        Object{{"metadata", Object{{"labels", std::move(labels)}}}}, Decides::Yes);
}

Write hold(const ActionSeen& seen) {
  return control::add_finalizer(kube::resource_of<VolumeGroupAction>(), seen.object, kFinalizer);
}

Write let_go(const ActionSeen& seen) {
  return control::drop_finalizer(kube::resource_of<VolumeGroupAction>(), seen.object, kFinalizer);
}

Write remove_move(const MoveSeen& move) {
  return control::remove(kube::resource_of<DataMove>(), move.object);
}

Write label_claim(const ActionSeen& seen, const MemberSeen& member, bool on) {
  Object labels;
  labels[cut_label(seen.uid)] = on ? Value("true") : Value(nullptr);
  return control::patch(kube::kClaims, member.claim,
                        Object{{"metadata", Object{{"labels", std::move(labels)}}}}, Decides::No);
}

std::string upload_name(const ActionSeen& seen, size_t member) {
  return made_name(seen.uid, identity(frozen_of(seen).claims[member]), "backup");
}

std::string catalogue_name(const ActionSeen& seen) { return made_name(seen.uid, "", "catalogue"); }

Write create_upload(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = frozen_of(seen).claims[member];
  DataMove move;
  move.spec.direction = DataMove::Direction::Backup;
  move.spec.volume = DataMove::Volume{.claim = "", .snapshot = snapshot_name(seen, member)};
  move.spec.location = frozen_of(seen).location;
  move.spec.tags = {fmt::format("vg={}/{}", seen.ns, seen.action.spec.group),
                    fmt::format("vga={}", seen.uid),
                    fmt::format("{}={}/{}", claim.log ? "log" : "pvc", claim.ns, claim.name)};
  return create_move(seen, claim.ns, upload_name(seen, member), move);
}

Write create_catalogue(const ActionSeen& seen) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Backup;
  move.spec.document =
      DataMove::Document{.name = std::string(kCatalogueName), .content = catalogue_text(seen)};
  move.spec.location = frozen_of(seen).location;
  move.spec.tags = {fmt::format("vg={}/{}", seen.ns, seen.action.spec.group),
                    fmt::format("vga={}", seen.uid), std::string(kCatalogueTag)};
  return create_move(seen, frozen_of(seen).ns, catalogue_name(seen), move);
}

std::string forget_name(const ActionSeen& seen) { return made_name(seen.uid, "", "forget"); }

std::vector<std::string> snapshots_of(const VolumeGroupAction::Status& status) {
  std::vector<std::string> out;
  if (!status.catalogue.empty()) out.push_back(status.catalogue);
  if (status.frozen)
    for (const ClaimRecord& claim : status.frozen->claims)
      if (!claim.snapshot_id.empty()) out.push_back(claim.snapshot_id);
  return out;
}

Write create_forget(const ActionSeen& seen) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Forget;
  move.spec.location = frozen_of(seen).location;
  // Without its catalogue a backup is not listed any more: that goes first.
  move.spec.snapshots = snapshots_of(seen.action.status);
  move.spec.tags = {fmt::format("vga={}", seen.uid)};
  return create_move(seen, frozen_of(seen).ns, forget_name(seen), move);
}

Write create_search(const ActionSeen& seen) {
  const VolumeGroupAction::Source& source = *seen.action.spec.source;
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  move.spec.document = DataMove::Document{.name = std::string(kCatalogueName), .content = {}};
  move.spec.find = DataMove::Find{.tags = {std::string(kCatalogueTag), "vg=" + source.group},
                                  .before = source.before};
  if (!source.id.empty()) move.spec.find->tags.push_back("vga=" + source.id);
  move.spec.location = source.location;
  return create_move(seen, source_ns(seen), search_name(seen), move);
}

/// Where the claim was, also if it is to be elsewhere: there its snapshot is, and the repository.
Write create_staged(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = frozen_of(seen).claims[member];
  Object spec = claim_spec(seen, claim, claim.size);
  if (seen.action.status.restoring == "revert")
    spec["dataSource"] = Object{{"apiGroup", kube::kVolumeSnapshots.group},
                                {"kind", kube::kVolumeSnapshots.kind},
                                {"name", snapshot_name(seen, member)}};
  return control::create(
      kube::kClaims,
      object_of(kube::kClaims, marked(seen, claim.ns, staged(seen, member)), std::move(spec)));
}

Write create_download(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = frozen_of(seen).claims[member];
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  move.spec.volume = DataMove::Volume{.claim = staged(seen, member), .snapshot = ""};
  move.spec.snapshot = claim.snapshot_id;
  move.spec.location = frozen_of(seen).location;
  return create_move(seen, claim.ns, staged(seen, member), move);
}

/// It only has to mount the volume: a driver that waits for its first consumer makes it then, and
/// one that cannot be mounted is found out before anything is replaced by it.
Write create_prover(const ActionSeen& seen, size_t member, const GroupSettings& settings) {
  const std::string name = staged(seen, member);
  const ClaimRecord& claim = frozen_of(seen).claims[member];
  protect::OwnPod pod{"prover", "--version", settings.image, settings.command};
  if (claim.volume_mode == "Block")
    pod.parts["volumeDevices"] =
        Array{Object{{"name", "data"}, {"devicePath", "/dev/holdfast-data"}}};
  else
    pod.parts["volumeMounts"] = Array{Object{{"name", "data"}, {"mountPath", "/data"}}};
  pod.volumes = {Object{{"name", "data"}, {"persistentVolumeClaim", Object{{"claimName", name}}}}};
  return control::create(kube::kPods, object_of(kube::kPods, marked(seen, claim.ns, name),
                                                protect::spec_of(std::move(pod))));
}

/// Before its claim goes: the volume stays, marked as what it was made for.
Write keep_fresh(const ActionSeen& seen, size_t member) {
  const VolumeSeen& volume = *seen.members[member].fresh;
  Object annotations{{kRestoredBy, staged(seen, member)}};
  if (volume.first_policy.empty()) annotations[kFirstPolicy] = volume.policy;
  return control::patch(kube::kVolumes, volume.object,
                        Object{{"metadata", Object{{"annotations", std::move(annotations)},
                                                   {"labels", Object{{kActionLabel, seen.uid}}}}},
                               {"spec", Object{{"persistentVolumeReclaimPolicy", "Retain"}}}},
                        Decides::Yes);
}

Write keep_old(const VolumeSeen& volume) {
  return control::patch(kube::kVolumes, volume.object,
                        Object{{"spec", Object{{"persistentVolumeReclaimPolicy", "Retain"}}}},
                        Decides::Yes);
}

Write reserve_volume(const ActionSeen& seen, size_t member) {
  const MemberSeen& its = seen.members[member];
  return control::patch(
      kube::kVolumes, its.fresh->object,
      Object{{"spec", Object{{"claimRef", Object{{"apiVersion", "v1"},
                                                 {"kind", "PersistentVolumeClaim"},
                                                 {"namespace", its.target_ns},
                                                 {"name", its.target_name},
                                                 {"uid", nullptr},
                                                 {"resourceVersion", nullptr}}}}}},
      Decides::Yes);
}

Write create_target(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = frozen_of(seen).claims[member];
  const MemberSeen& its = seen.members[member];
  Object spec = claim_spec(seen, claim, claim.size);
  spec["volumeName"] = its.fresh->object.name();
  Object labels, annotations;
  for (const auto& [key, value] : claim.labels) labels[key] = value;
  for (const auto& [key, value] : claim.annotations) annotations[key] = value;
  annotations[kRestoredBy] = staged(seen, member);
  annotations[kActionOf] = fmt::format("{}/{}", seen.ns, seen.name);
  return control::create(kube::kClaims, object_of(kube::kClaims,
                                                  {{"namespace", its.target_ns},
                                                   {"name", its.target_name},
                                                   {"labels", std::move(labels)},
                                                   {"annotations", std::move(annotations)}},
                                                  std::move(spec)));
}

Write give_back(const VolumeSeen& volume) {
  const std::string& first = volume.first_policy.empty() ? volume.policy : volume.first_policy;
  return control::patch(
      kube::kVolumes, volume.object,
      Object{{"metadata", Object{{"labels", Object{{kActionLabel, nullptr}}},
                                 {"annotations", Object{{kFirstPolicy, nullptr}}}}},
             {"spec", Object{{"persistentVolumeReclaimPolicy", first}}}},
      Decides::Yes);
}

}  // namespace holdfast::drivers::volumegroup
