#include "moves/staging_objects.h"

#include <holdfast/kube/typed.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using control::Write;
using model::Array;
using model::Object;
using model::Value;

Object metadata_of(const MoveSeen& seen, const std::string& ns) {
  return control::made_metadata(kMoveMark, {seen.ns, seen.name, seen.uid}, ns, staged_name(seen));
}

Value object_of(const kube::Resource& resource, Object metadata, Object spec) {
  return Value(Object{{"apiVersion", resource.api_version()},
                      {"kind", resource.kind},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)}});
}

/// Only as it was seen: if anything of it has changed since, nothing is written.
Write patch_volume(const MoveSeen& seen, Object metadata, Object spec) {
  return control::patch(kube::kVolumes, seen.objects.volume,
                        Value(Object{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}}),
                        control::Decides::Yes);
}

Write finalizers(const MoveSeen& seen, bool on) {
  Array all;
  for (const std::string& each : seen.objects.move.meta().finalizers)
    if (each != kMoveFinalizer) all.emplace_back(each);
  if (on) all.emplace_back(kMoveFinalizer);
  return control::patch(kube::resource_of<DataMove>(), seen.objects.move,
                        Value(Object{{"metadata", Object{{"finalizers", std::move(all)}}}}),
                        control::Decides::Yes);
}

}  // namespace

std::string staged_name(const MoveSeen& seen) {
  const std::optional<DataMove::Rounds>& rounds = seen.move.status.rounds;
  const int64_t round = rounds ? rounds->current : 1;
  return control::child_name(seen.name, seen.uid,
                             round == 1 ? "staging" : fmt::format("staging-{}", round));
}

Write hold(const MoveSeen& seen) { return finalizers(seen, true); }

Write let_go(const MoveSeen& seen) { return finalizers(seen, false); }

Write cut_claim(const MoveSeen& seen) {
  Object metadata = metadata_of(seen, seen.ns);
  metadata["ownerReferences"] =
      Array{control::controller_reference(kube::resource_of<DataMove>(), seen.objects.move)};
  return control::create(
      kube::kVolumeSnapshots,
      object_of(kube::kVolumeSnapshots, std::move(metadata),
                {{"source", Object{{"persistentVolumeClaimName", seen.move.spec.volume->claim}}}}));
}

Write bind_content(const MoveSeen& seen) {
  return control::create(kube::kVolumeSnapshotContents,
                         object_of(kube::kVolumeSnapshotContents, metadata_of(seen, ""),
                                   {{"deletionPolicy", "Retain"},
                                    {"driver", seen.staging.driver},
                                    {"source", Object{{"snapshotHandle", seen.staging.handle}}},
                                    {"volumeSnapshotRef", Object{{"namespace", seen.mover_ns},
                                                                 {"name", staged_name(seen)}}}}));
}

Write bind_snapshot(const MoveSeen& seen) {
  return control::create(
      kube::kVolumeSnapshots,
      object_of(kube::kVolumeSnapshots, metadata_of(seen, seen.mover_ns),
                {{"source", Object{{"volumeSnapshotContentName", staged_name(seen)}}}}));
}

Write create_claim(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  std::string size = staging.claim ? staging.claim->size : "";
  if (staging.cut && !staging.cut->size.empty()) size = staging.cut->size;
  Array modes;
  if (staging.claim)
    for (const std::string& mode : staging.claim->access_modes) modes.emplace_back(mode);
  if (modes.empty()) modes.emplace_back("ReadWriteOnce");
  Object spec{{"storageClassName", staging.storage_class},
              {"accessModes", std::move(modes)},
              {"resources", Object{{"requests", Object{{"storage", size}}}}}};
  if (seen.move.spec.direction == DataMove::Direction::Backup) {
    const bool second = seen.mover_ns != seen.ns;
    spec["dataSource"] =
        Object{{"apiGroup", kube::kVolumeSnapshots.group},
               {"kind", kube::kVolumeSnapshots.kind},
               {"name", second ? staged_name(seen) : seen.move.spec.volume->snapshot}};
  }
  return control::create(
      kube::kClaims, object_of(kube::kClaims, metadata_of(seen, seen.mover_ns), std::move(spec)));
}

Write keep_volume(const MoveSeen& seen) {
  const Value volume = seen.objects.volume.value();
  return patch_volume(
      seen,
      {{"labels", Object{{kMoveLabel, seen.uid}}},
       {"annotations",
        Object{
            {kFirstPolicy, model::string_at(volume, {"spec", "persistentVolumeReclaimPolicy"})}}}},
      {{"persistentVolumeReclaimPolicy", "Retain"}});
}

Write give_volume(const MoveSeen& seen) {
  return patch_volume(seen, {},
                      {{"claimRef", Object{{"apiVersion", "v1"},
                                           {"kind", "PersistentVolumeClaim"},
                                           {"namespace", seen.ns},
                                           {"name", seen.move.spec.volume->claim},
                                           {"uid", seen.staging.claim->uid},
                                           {"resourceVersion", nullptr}}}});
}

Write give_back(const MoveSeen& seen) {
  const Value volume = seen.objects.volume.value();
  std::string_view first = model::string_at(volume, {"metadata", "annotations", kFirstPolicy});
  if (first.empty()) first = "Retain";
  return patch_volume(
      seen,
      {{"labels", Object{{kMoveLabel, nullptr}}}, {"annotations", Object{{kFirstPolicy, nullptr}}}},
      {{"persistentVolumeReclaimPolicy", first}});
}

}  // namespace holdfast::protect
