#include "moves/staging_objects.h"

#include <holdfast/control/finalizers.h>
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

}  // namespace

std::string staged_name(const MoveSeen& seen) {
  const std::optional<DataMove::Rounds>& rounds = seen.move.status.rounds;
  const int64_t round = rounds ? rounds->current : 1;
  return control::child_name(seen.name, seen.uid,
                             round == 1 ? "staging" : fmt::format("staging-{}", round));
}

Write hold(const MoveSeen& seen) {
  return control::add_finalizer(kube::resource_of<DataMove>(), seen.object, kMoveFinalizer);
}

Write let_go(const MoveSeen& seen) {
  return control::drop_finalizer(kube::resource_of<DataMove>(), seen.object, kMoveFinalizer);
}

Write cut_claim(const MoveSeen& seen) {
  Object metadata = metadata_of(seen, seen.volume_ns);
  if (seen.volume_ns == seen.ns)
    metadata["ownerReferences"] =
        Array{control::controller_reference(kube::resource_of<DataMove>(), seen.object)};
  return control::create(
      kube::kVolumeSnapshots,
      control::made_object(
          kube::kVolumeSnapshots, std::move(metadata),
          {{"source", Object{{"persistentVolumeClaimName", seen.move.spec.volume->claim}}}}));
}

Write bind_content(const MoveSeen& seen) {
  return control::create(
      kube::kVolumeSnapshotContents,
      control::made_object(kube::kVolumeSnapshotContents, metadata_of(seen, ""),
                           {{"deletionPolicy", "Retain"},
                            {"driver", seen.staging.driver},
                            {"source", Object{{"snapshotHandle", seen.staging.handle}}},
                            {"volumeSnapshotRef",
                             Object{{"namespace", seen.mover_ns}, {"name", staged_name(seen)}}}}));
}

Write bind_snapshot(const MoveSeen& seen) {
  return control::create(
      kube::kVolumeSnapshots,
      control::made_object(kube::kVolumeSnapshots, metadata_of(seen, seen.mover_ns),
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
    const bool second = seen.mover_ns != seen.volume_ns;
    spec["dataSource"] =
        Object{{"apiGroup", kube::kVolumeSnapshots.group},
               {"kind", kube::kVolumeSnapshots.kind},
               {"name", second ? staged_name(seen) : seen.move.spec.volume->snapshot}};
  }
  return control::create(
      kube::kClaims,
      control::made_object(kube::kClaims, metadata_of(seen, seen.mover_ns), std::move(spec)));
}

}  // namespace holdfast::protect
