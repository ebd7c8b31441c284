#include <holdfast/base/text.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/cut/handover.h>
#include <holdfast/protect/pods.h>

#include <fmt/format.h>

namespace holdfast::protect::handover {
namespace {

using namespace std::chrono_literals;
using control::Decides;
using control::Outcome;
using control::Write;
using model::Array;
using model::Object;

Object claim_spec(const ClaimRecord& claim, const std::map<std::string, std::string>& classes) {
  const auto other = classes.find(claim.storage_class);
  const std::string& storage = other == classes.end() ? claim.storage_class : other->second;
  Array modes;
  for (const std::string& each : claim.access_modes) modes.emplace_back(each);
  Object spec{{"accessModes", std::move(modes)},
              {"resources", Object{{"requests", Object{{"storage", claim.size}}}}}};
  if (!storage.empty()) spec["storageClassName"] = storage;
  if (!claim.volume_mode.empty()) spec["volumeMode"] = claim.volume_mode;
  return spec;
}

Write set_policy(const Volume& volume, const char* policy) {
  return control::patch(kube::kVolumes, volume.object,
                        Object{{"spec", Object{{"persistentVolumeReclaimPolicy", policy}}}},
                        Decides::Yes);
}

Write make_target(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
                  const std::map<std::string, std::string>& classes) {
  Object labels, annotations;
  for (const auto& [key, value] : claim.labels) labels[key] = value;
  for (const auto& [key, value] : claim.annotations) annotations[key] = value;
  annotations[kRestoredBy] = seen.staged_name;
  annotations[owned.mark.annotation] = fmt::format("{}/{}", owned.owner.ns, owned.owner.name);
  return control::create(kube::kClaims,
                         control::made_object(kube::kClaims,
                                              {{"namespace", seen.target_ns},
                                               {"name", seen.target_name},
                                               {"labels", std::move(labels)},
                                               {"annotations", std::move(annotations)}},
                                              claim_spec(claim, classes)));
}

bool is_reserved(const Seen& seen) {
  return seen.fresh->claim_ns == seen.target_ns && seen.fresh->claim_name == seen.target_name &&
         seen.fresh->claim_uid.empty();
}

/// What stands where the claim is to be goes, and its volume stays.
std::optional<Outcome> make_room(const Seen& seen) {
  if (!seen.target || seen.is_done()) return std::nullopt;
  if (seen.target->deleting) return Outcome::wait(500ms, "ClaimGoing");
  if (seen.old && seen.old->policy != "Retain")
    return Outcome::act(set_policy(*seen.old, "Retain"));
  return Outcome::act(control::remove(kube::kClaims, seen.target->object));
}

}  // namespace

Write make_staged(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
                  const std::map<std::string, std::string>& classes, std::string_view snapshot) {
  Object spec = claim_spec(claim, classes);
  if (!snapshot.empty())
    spec["dataSource"] = Object{{"apiGroup", kube::kVolumeSnapshots.group},
                                {"kind", kube::kVolumeSnapshots.kind},
                                {"name", snapshot}};
  return control::create(
      kube::kClaims, control::made_object(kube::kClaims,
                                          control::made_metadata(owned.mark, owned.owner,
                                                                 seen.staged_ns, seen.staged_name),
                                          std::move(spec)));
}

Write make_prover(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
                  const std::string& image, const std::vector<std::string>& command) {
  OwnPod pod{"prover", "--version", image, command};
  if (claim.volume_mode == "Block")
    pod.parts["volumeDevices"] =
        Array{Object{{"name", "data"}, {"devicePath", "/dev/holdfast-data"}}};
  else
    pod.parts["volumeMounts"] = Array{Object{{"name", "data"}, {"mountPath", "/data"}}};
  pod.volumes = {
      Object{{"name", "data"}, {"persistentVolumeClaim", Object{{"claimName", seen.staged_name}}}}};
  return control::create(
      kube::kPods, control::made_object(kube::kPods,
                                        control::made_metadata(owned.mark, owned.owner,
                                                               seen.staged_ns, seen.staged_name),
                                        spec_of(std::move(pod))));
}

std::optional<Outcome> remove_prover(const Seen& seen) {
  if (!seen.prover) return std::nullopt;
  return seen.prover.being_deleted() ? Outcome::wait(500ms, "ProverGoing")
                                     : Outcome::act(control::remove(kube::kPods, seen.prover));
}

Outcome remove_staged(const Seen& seen) {
  return seen.staged->deleting ? Outcome::wait(500ms, "StagedClaimGoing")
                               : Outcome::act(control::remove(kube::kClaims, seen.staged->object));
}

Write let_go_with_claim(const Volume& volume) { return set_policy(volume, "Delete"); }

Write keep(const Volume& volume, const Owned& owned, std::string_view staged_name) {
  Object annotations, labels;
  if (!staged_name.empty()) annotations[kRestoredBy] = staged_name;
  if (volume.first_policy.empty()) annotations[kFirstPolicy] = volume.policy;
  if (!owned.mark.annotation.empty())
    annotations[owned.mark.annotation] = fmt::format("{}/{}", owned.owner.ns, owned.owner.name);
  labels[owned.mark.label] = owned.owner.uid;
  return control::patch(kube::kVolumes, volume.object,
                        Object{{"metadata", Object{{"annotations", std::move(annotations)},
                                                   {"labels", std::move(labels)}}},
                               {"spec", Object{{"persistentVolumeReclaimPolicy", "Retain"}}}},
                        Decides::Yes);
}

Write reserve(const Volume& volume, std::string_view ns, std::string_view name,
              std::string_view uid) {
  model::Value owner = nullptr;
  if (!uid.empty()) owner = uid;
  return control::patch(
      kube::kVolumes, volume.object,
      Object{{"spec", Object{{"claimRef", Object{{"apiVersion", "v1"},
                                                 {"kind", "PersistentVolumeClaim"},
                                                 {"namespace", ns},
                                                 {"name", name},
                                                 {"uid", std::move(owner)},
                                                 {"resourceVersion", nullptr}}}}}},
      Decides::Yes);
}

Write give_back(const Volume& volume, const control::Mark& mark) {
  const std::string& first = volume.first_policy.empty() ? volume.policy : volume.first_policy;
  Object labels, annotations;
  labels[mark.label] = nullptr;
  annotations[kFirstPolicy] = nullptr;
  if (!mark.annotation.empty()) annotations[mark.annotation] = nullptr;
  return control::patch(kube::kVolumes, volume.object,
                        Object{{"metadata", Object{{"labels", std::move(labels)},
                                                   {"annotations", std::move(annotations)}}},
                               {"spec", Object{{"persistentVolumeReclaimPolicy", first}}}},
                        Decides::Yes);
}

control::Mapper owner_of_available(const control::Mark& mark) {
  return [owner = control::owner_marked(mark)](const kube::Change& change) -> control::Keys {
    control::Keys keys = owner(change);
    const auto available = [](const kube::Cached& volume) {
      return volume && volume_seen(volume)->phase == "Available";
    };
    if (!keys.empty() && (!available(change.after) || available(change.before))) keys.clear();
    return keys;
  };
}

std::optional<control::Refusal> occupied(const Seen& seen, bool replaces) {
  if (!seen.target || seen.is_done() || (replaces && seen.target->deleting)) return std::nullopt;
  if (!replaces)
    return control::Refusal{"ClaimsExist",
                            fmt::format("claim {}/{} was made meanwhile; the restored data is not "
                                        "put in its place",
                                        seen.target_ns, seen.target_name)};
  if (seen.users.empty()) return std::nullopt;
  return control::Refusal{"ClaimInUse", fmt::format("claim {} is used by pod {}; scale the "
                                                    "workload down first",
                                                    seen.target_name, seen.users.front())};
}

std::optional<Outcome> put_in_place(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
                                    const std::map<std::string, std::string>& classes) {
  if (std::optional<Outcome> step = remove_prover(seen)) return step;
  // First of all its own: from then on it is begun, and is taken to its end.
  if (seen.staged) return remove_staged(seen);
  if (!seen.fresh) return Outcome::wait(500ms, "WaitingForVolume");
  if (std::optional<Outcome> step = make_room(seen)) return step;
  if (seen.is_misbound())
    return seen.target->deleting
               ? Outcome::wait(500ms, "ClaimGoing")
               : Outcome::act(control::remove(kube::kClaims, seen.target->object));
  if (!seen.target && !is_reserved(seen))
    return Outcome::act(reserve(*seen.fresh, seen.target_ns, seen.target_name));
  if (!seen.target && seen.fresh->phase != "Available" && waits_for_binder())
    return Outcome::wait(500ms, "VolumeNotAvailable");
  if (!seen.target) return Outcome::act(make_target(seen, owned, claim, classes));
  if (!seen.target->bound) return Outcome::wait(500ms, "Binding");
  if (!seen.fresh->first_policy.empty()) return Outcome::act(give_back(*seen.fresh, owned.mark));
  return std::nullopt;
}

std::optional<Outcome> clear(const Seen& seen, const control::Mark& mark) {
  if (!seen.staged) return std::nullopt;
  // With its claim the volume goes too, if it would have gone before.
  if (seen.fresh && !seen.fresh->first_policy.empty())
    return Outcome::act(give_back(*seen.fresh, mark));
  return remove_staged(seen);
}

}  // namespace holdfast::protect::handover
