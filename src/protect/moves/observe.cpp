#include "moves/observe.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/pods.h>
#include <holdfast/protect/use_move.h>

#include "locations/folders.h"
#include "locations/resolve.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::protect {
namespace {

using control::read_live;
using model::string_at;
using model::Value;

constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

MoverSeen mover_seen(const kube::Cached& cached) {
  PodSeen pod = pod_seen(cached);
  MoverSeen mover;
  mover.pod = cached;
  mover.name = cached.name();
  for (const auto& [label, value] : cached.labels())
    if (label == kAttemptLabel)
      std::from_chars(value.data(), value.data() + value.size(), mover.attempt);
  mover.waiting = pod.why_waiting();
  mover.phase = std::move(pod.phase);
  mover.deleting = pod.deleting;
  mover.created = pod.created;
  mover.message = std::move(pod.report);
  mover.ended = pod.ended;
  return mover;
}

/// A label anybody can write: only what has the name that we would give counts, where movers run.
void look_at_movers(control::Pass& pass, MoveSeen& seen) {
  for (const kube::Cached& pod : pass.find(kube::kPods, kByMove, seen.uid)) {
    MoverSeen mover = mover_seen(pod);
    if (pod.ns() == seen.mover_ns && mover.name == mover_name(seen, mover.attempt))
      seen.movers.push_back(std::move(mover));
  }
}

/// Staging is read from the server itself, and only where the next decision is about it: not before
/// the move is accepted and held, nor while its mover works.
bool needs_staging(const MoveSeen& seen) {
  const DataMove::Status& status = seen.move.status;
  if (!is_staged(seen) || !seen.staging.has_finalizer) return false;
  if (is_over(status) || seen.deleting || is_filled(seen)) return true;
  for (const MoverSeen& each : seen.movers)
    if (each.attempt == status.attempts.value_or(0))
      return each.phase == "Succeeded" && seen.move.spec.direction == DataMove::Direction::Restore;
  return true;
}

/// What we made, if it is ours.
Result<kube::Cached> read_staged(control::Pass& pass, const kube::Resource& resource,
                                 std::string_view ns, const MoveSeen& seen) {
  kube::Cached found = HF_TRY(read_live(pass, resource, ns, staged_name(seen)));
  return control::is_made_for(found, kMoveMark, seen.uid) ? found : kube::Cached();
}

std::optional<CutSeen> cut_seen(const kube::Cached& cached) {
  if (!cached) return std::nullopt;
  const auto value = cached.shared_value();
  const Value& object = *value;
  CutSeen out;
  out.created = model::parse_rfc3339(string_at(object, {"metadata", "creationTimestamp"}));
  out.deleted = model::parse_rfc3339(string_at(object, {"metadata", "deletionTimestamp"}));
  out.ready = model::bool_at(object, {"status", "readyToUse"}, false);
  out.error = string_at(object, {"status", "error", "message"});
  out.size = string_at(object, {"status", "restoreSize"});
  out.claim = string_at(object, {"spec", "source", "persistentVolumeClaimName"});
  out.deleting = cached.being_deleted();
  return out;
}

/// A snapshot says which content it is bound to in its status, which its owner may have written:
/// only a content that says the same, with the snapshot's uid, is taken for its own.
Result<void> look_at_handle(control::Pass& pass, MoveSeen& seen) {
  const auto cut = seen.objects.cut.shared_value();
  const std::string_view name = string_at(*cut, {"status", "boundVolumeSnapshotContentName"});
  const kube::Cached content = HF_TRY(read_live(pass, kube::kVolumeSnapshotContents, "", name));
  if (!content) return {};
  const auto object = content.shared_value();
  if (string_at(*object, {"spec", "volumeSnapshotRef", "uid"}) != seen.objects.cut.uid()) return {};
  seen.staging.driver = string_at(*object, {"spec", "driver"});
  seen.staging.handle = string_at(*object, {"status", "snapshotHandle"});
  return {};
}

/// The claim's own; else the default, or any, of the driver that made the cut.
void choose_class(control::Pass& pass, MoveSeen& seen) {
  StagingSeen& staging = seen.staging;
  if (staging.claim) staging.storage_class = staging.claim->storage_class;
  if (!staging.storage_class.empty() || staging.driver.empty()) return;
  for (const kube::Cached& each : pass.list(kube::kStorageClasses, "")) {
    const auto object = each.shared_value();
    if (string_at(*object, {"provisioner"}) != staging.driver) continue;
    const bool preferred = string_at(*object, {"metadata", "annotations", kDefaultClass}) == "true";
    if (preferred || staging.storage_class.empty()) staging.storage_class = each.name();
  }
}

/// A cache that is behind does not know that an operator before this one has let go of our claim: a
/// restored volume would count as lost, or be left behind.
Result<void> look_for_kept_volume(control::Pass& pass, MoveSeen& seen) {
  if (seen.move.spec.direction != DataMove::Direction::Restore) return {};
  for (const auto& [name, volume] :
       HF_TRY(control::list_made(pass, kube::kVolumes, "", kMoveMark, seen.uid))) {
    seen.staging.kept = true;
    seen.staging.volume = handover::volume_seen(volume);
  }
  return {};
}

/// Marked as ours it is known however far it is handed over; before that by the claim that has it.
Result<void> look_at_volume(control::Pass& pass, MoveSeen& seen) {
  StagingSeen& staging = seen.staging;
  const std::vector<kube::Cached> marked = pass.find(kube::kVolumes, kByMove, seen.uid);
  staging.kept = !marked.empty();
  if (staging.kept) staging.volume = handover::volume_seen(marked.front());
  if (staging.kept) return {};
  if (!staging.staged) return look_for_kept_volume(pass, seen);
  staging.volume =
      handover::volume_seen(HF_TRY(read_live(pass, kube::kVolumes, "", staging.staged->volume)));
  if (staging.volume && staging.volume->claim_uid != staging.staged->uid) staging.volume.reset();
  return {};
}

Result<void> look_at_staging(control::Pass& pass, MoveSeen& seen) {
  StagingSeen& staging = seen.staging;
  MoveSeen::Objects& objects = seen.objects;
  const DataMove::Volume& volume = *seen.move.spec.volume;
  objects.cut = volume.snapshot.empty()
                    ? HF_TRY(read_staged(pass, kube::kVolumeSnapshots, seen.ns, seen))
                    : HF_TRY(read_live(pass, kube::kVolumeSnapshots, seen.ns, volume.snapshot));
  staging.cut = cut_seen(objects.cut);
  if (objects.cut) HF_TRY(look_at_handle(pass, seen));
  const std::string name = !volume.claim.empty() ? volume.claim
                           : staging.cut         ? staging.cut->claim
                                                 : "";
  staging.claim = handover::claim_seen(HF_TRY(read_live(pass, kube::kClaims, seen.ns, name)));
  choose_class(pass, seen);
  if (seen.mover_ns != seen.ns) {
    objects.content = HF_TRY(read_staged(pass, kube::kVolumeSnapshotContents, "", seen));
    staging.content = bool(objects.content);
    objects.second = HF_TRY(read_staged(pass, kube::kVolumeSnapshots, seen.mover_ns, seen));
    staging.second = cut_seen(objects.second);
  }
  staging.staged =
      handover::claim_seen(HF_TRY(read_staged(pass, kube::kClaims, seen.mover_ns, seen)));
  return look_at_volume(pass, seen);
}

}  // namespace

Result<MoveSeen> observe_move(control::Pass& pass, const kube::Cached& object,
                              const MoverSettings& settings) {
  MoveSeen seen;
  HF_TRY(control::read_subject(pass, object, seen, seen.move));
  // Which one was taken is in the status: another one may have become the default meanwhile.
  const std::optional<Reference>& wanted =
      seen.move.status.location ? seen.move.status.location : seen.move.spec.location;
  seen.mover_ns = wanted && !wanted->ns.empty() ? wanted->ns : seen.ns;
  Resolved resolved = HF_TRY(resolve_for_certain(pass, seen.ns, wanted));
  seen.location = std::move(resolved.location);
  seen.no_location = std::move(resolved.refusal);
  seen.file_allowed = may_name_folders(settings, seen.mover_ns);
  look_at_movers(pass, seen);
  seen.objects.exec_role = pass.get(kube::kRoles, seen.ns, exec_role_name(seen));
  seen.objects.exec_binding = pass.get(kube::kRoleBindings, seen.ns, exec_role_name(seen));
  seen.exec_allowed = seen.objects.exec_role || seen.objects.exec_binding;
  seen.staging.has_finalizer = control::has_finalizer(object, kMoveFinalizer);
  if (needs_staging(seen)) HF_TRY(look_at_staging(pass, seen));
  return seen;
}

}  // namespace holdfast::protect
