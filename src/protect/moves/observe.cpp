#include "moves/observe.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/locations.h>
#include <holdfast/protect/pods.h>
#include <holdfast/protect/use_move.h>

#include "locations/folders.h"
#include "locations/resolve.h"
#include "moves/asked.h"
#include "moves/rounds.h"
#include "queue/queue.h"

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
/// the move is accepted, held and has all that its mover needs beside it, nor while that works.
bool needs_staging(const MoveSeen& seen) {
  const DataMove::Status& status = seen.move.status;
  if (!is_staged(seen) || !seen.staging.has_finalizer) return false;
  if (is_over(status) || seen.deleting || is_filled(seen)) return true;
  if (seen.movers.empty() && !rests(status) &&
      (!seen.queued.reason.empty() || seen.missing || seen.account_going))
    return false;
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
  out.uid = cached.uid();
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
  objects.cut =
      volume.snapshot.empty()
          ? HF_TRY(read_staged(pass, kube::kVolumeSnapshots, seen.volume_ns, seen))
          : HF_TRY(read_live(pass, kube::kVolumeSnapshots, seen.volume_ns, volume.snapshot));
  staging.cut = cut_seen(objects.cut);
  if (objects.cut) HF_TRY(look_at_handle(pass, seen));
  const std::string name = !volume.claim.empty() ? volume.claim
                           : staging.cut         ? staging.cut->claim
                                                 : "";
  staging.claim =
      handover::claim_seen(HF_TRY(read_live(pass, kube::kClaims, seen.volume_ns, name)));
  choose_class(pass, seen);
  if (seen.mover_ns != seen.volume_ns) {
    objects.content = HF_TRY(read_staged(pass, kube::kVolumeSnapshotContents, "", seen));
    staging.content = bool(objects.content);
    objects.second = HF_TRY(read_staged(pass, kube::kVolumeSnapshots, seen.mover_ns, seen));
    staging.second = cut_seen(objects.second);
  }
  staging.staged =
      handover::claim_seen(HF_TRY(read_staged(pass, kube::kClaims, seen.mover_ns, seen)));
  return look_at_volume(pass, seen);
}

/// Its Mover, by the name that we would give: a label is anybody's.
Result<void> look_at_mover_object(control::Pass& pass, MoveSeen& seen) {
  const kube::Cached found =
      pass.get(kube::resource_of<Mover>(), seen.mover_ns, mover_object_name(seen.uid));
  if (!control::is_made_for(found, kMoveMark, seen.uid)) return {};
  seen.mover_object =
      MoverObject{found, HF_TRY(model::decode_object<Mover>(*found.shared_value()))};
  return {};
}

bool is_owned_alike(const Value& there, const Value& wanted) {
  const auto owner = [](const Value& object) -> std::string_view {
    for (const Value& each : model::array_at(object, {"metadata", "ownerReferences"}))
      return string_at(each, {"uid"});
    return {};
  };
  return owner(wanted).empty() || owner(there) == owner(wanted);
}

/// What is there must be the Mover's own: of one before it, it is on its way out.
void look_at_account(control::Pass& pass, MoveSeen& seen) {
  for (auto& [resource, object] : account_of(seen)) {
    const kube::Cached there = pass.get(resource, string_at(object, {"metadata", "namespace"}),
                                        string_at(object, {"metadata", "name"}));
    if (there && is_owned_alike(*there.shared_value(), object)) continue;
    seen.account_going = bool(there);
    if (!there) seen.missing = std::pair(resource, std::move(object));
    return;
  }
}

/// Before a mover that was seen counts as lost, the server is asked: a cache of a new operator may
/// be from before it.
Result<void> look_for_lost_mover(control::Pass& pass, MoveSeen& seen) {
  const DataMove::Status& status = seen.move.status;
  const int64_t attempt = status.attempts.value_or(0);
  const std::string name = mover_name(seen, attempt);
  // Attempts of a round that is over are not missed.
  if (is_over(status) || attempt == attempts_before(status) || status.mover != name) return {};
  for (const MoverSeen& each : seen.movers)
    if (each.name == name) return {};
  const kube::Cached pod = HF_TRY(read_live(pass, kube::kPods, seen.mover_ns, name));
  if (control::is_made_for(pod, kMoveMark, seen.uid))
    seen.movers.push_back(mover_seen(pod));
  else
    seen.mover_gone = true;
  return {};
}

/// Only who has no place, and is about to need one, has to know of the others.
void look_at_queue(control::Pass& pass, const MoverSettings& settings, MoveSeen& seen) {
  const bool working = seen.mover_object || !seen.movers.empty();
  if (working || !seen.location || seen.deleting ||
      seen.move.status.phase != DataMove::Phase::Accepted)
    return;
  const std::string place = fmt::format("{}/{}", seen.location->ns, seen.location->name);
  const Queue queue =
      queue_of(*seen.location, pass.list(kube::resource_of<Mover>(), seen.mover_ns),
               pass.find(kube::resource_of<DataMove>(), kByLocation, place), settings);
  seen.queued = must_wait(queue, pass.key());
}

/// What the move is about: its volume's namespace, its repository, its location.
Result<void> look_at_place(control::Pass& pass, const MoverSettings& settings, MoveSeen& seen) {
  const DataMove& move = seen.move;
  seen.is_admin = settings.is_admin(seen.ns);
  seen.volume_ns =
      move.spec.volume && !move.spec.volume->ns.empty() ? move.spec.volume->ns : seen.ns;
  seen.repository = repository_of(move, seen.ns);
  // Which one was taken is in the status: another one may have become the default meanwhile.
  const std::optional<Reference>& wanted =
      move.status.location ? move.status.location : move.spec.location;
  seen.mover_ns = wanted && !wanted->ns.empty() ? wanted->ns : seen.ns;
  Resolved resolved = HF_TRY(resolve_for_certain(
      pass, seen.ns, wanted, seen.is_admin ? data_namespace(seen.repository) : ""));
  seen.location = std::move(resolved.location);
  seen.no_location = std::move(resolved.refusal);
  seen.file_allowed = may_name_folders(settings, seen.mover_ns);
  if (seen.location) seen.known = known_repository(pass, *seen.location, seen.repository);
  return {};
}

}  // namespace

Result<MoveSeen> observe_move(control::Pass& pass, const kube::Cached& object,
                              const MoverSettings& settings) {
  MoveSeen seen;
  HF_TRY(control::read_subject(pass, object, seen, seen.move));
  seen.edited = keep_to_asked(seen.move);
  HF_TRY(look_at_place(pass, settings, seen));
  look_at_movers(pass, seen);
  HF_TRY(look_at_mover_object(pass, seen));
  HF_TRY(look_for_lost_mover(pass, seen));
  look_at_queue(pass, settings, seen);
  if (seen.location) look_at_account(pass, seen);
  seen.objects.exec_role = pass.get(kube::kRoles, seen.ns, exec_role_name(seen));
  seen.objects.exec_binding = pass.get(kube::kRoleBindings, seen.ns, exec_role_name(seen));
  seen.exec_allowed = seen.objects.exec_role || seen.objects.exec_binding;
  seen.staging.has_finalizer = control::has_finalizer(object, kMoveFinalizer);
  if (needs_staging(seen)) HF_TRY(look_at_staging(pass, seen));
  return seen;
}

}  // namespace holdfast::protect
