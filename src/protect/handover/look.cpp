/// State of a volume's hand-over, read from the server itself.
#include <holdfast/control/reconciler.h>
#include <holdfast/protect/cut/handover.h>
#include <holdfast/protect/pods.h>

#include <algorithm>

namespace holdfast::protect::handover {
namespace {

using control::read_cached;
using model::string_at;
using model::Value;

std::string_view annotation(const Value& object, std::string_view key) {
  return string_at(object, {"metadata", "annotations", key});
}

}  // namespace

std::optional<Claim> claim_seen(kube::Cached object) {
  if (!object) return std::nullopt;
  const auto value = object.shared_value();
  Claim out;
  out.uid = object.uid();
  out.volume = string_at(*value, {"spec", "volumeName"});
  out.storage_class = string_at(*value, {"spec", "storageClassName"});
  out.size = string_at(*value, {"status", "capacity", "storage"});
  if (out.size.empty()) out.size = string_at(*value, {"spec", "resources", "requests", "storage"});
  for (const Value& mode : model::array_at(*value, {"spec", "accessModes"}))
    out.access_modes.emplace_back(mode.as_string());
  out.bound = string_at(*value, {"status", "phase"}) == "Bound" && !out.volume.empty();
  out.restored_by = annotation(*value, kRestoredBy);
  out.deleting = object.being_deleted();
  out.object = std::move(object);
  return out;
}

std::optional<Volume> volume_seen(kube::Cached object) {
  if (!object) return std::nullopt;
  const auto value = object.shared_value();
  Volume out;
  out.policy = string_at(*value, {"spec", "persistentVolumeReclaimPolicy"});
  out.claim_ns = string_at(*value, {"spec", "claimRef", "namespace"});
  out.claim_name = string_at(*value, {"spec", "claimRef", "name"});
  out.claim_uid = string_at(*value, {"spec", "claimRef", "uid"});
  out.restored_by = annotation(*value, kRestoredBy);
  out.first_policy = annotation(*value, kFirstPolicy);
  out.phase = string_at(*value, {"status", "phase"});
  out.object = std::move(object);
  return out;
}

Result<const Looking::Objects*> Looking::made(const kube::Resource& resource,
                                              const std::string& ns) {
  const std::pair key(std::string(resource.plural), ns);
  if (const auto known = made_.find(key); known != made_.end()) return &known->second;
  Objects listed = HF_TRY(control::list_made(pass_, resource, ns, owned_.mark, owned_.owner.uid));
  return &made_.emplace(key, std::move(listed)).first->second;
}

Result<void> Looking::look_at_prover(Seen& seen) {
  const Objects& pods = *HF_TRY(made(kube::kPods, seen.staged_ns));
  const auto found = pods.find(seen.staged_name);
  if (found == pods.end()) return {};
  const PodSeen looked = pod_seen(found->second);
  seen.prover = found->second;
  seen.prover_phase = looked.phase;
  seen.prover_message = looked.said();
  return {};
}

Result<void> Looking::look_at_volume(Seen& seen) {
  for (const auto& [name, volume] : *HF_TRY(made(kube::kVolumes, "")))
    if (annotation(*volume.shared_value(), kRestoredBy) == seen.staged_name)
      seen.fresh = volume_seen(volume);
  if (!seen.fresh && seen.staged && seen.staged->bound)
    seen.fresh = volume_seen(HF_TRY(read_cached(pass_, kube::kVolumes, "", seen.staged->volume)));
  return {};
}

/// Asked of the server: a pod that came a moment ago counts.
Result<void> Looking::look_at_users(Seen& seen) {
  const auto [pods, fresh] = users_.try_emplace(seen.target_ns);
  if (fresh) {
    const auto listed = pass_.live_list(kube::kPods, seen.target_ns, "", [&](const Value& pod) {
      const std::string_view phase = string_at(pod, {"status", "phase"});
      if (phase != "Succeeded" && phase != "Failed")
        pods->second.emplace_back(string_at(pod, {"metadata", "name"}), claims_of(pod));
      return true;
    });
    if (!listed) return listed.error().error.copy().with_context("list pods");
  }
  for (const auto& [pod, claims] : pods->second)
    if (std::find(claims.begin(), claims.end(), seen.target_name) != claims.end())
      seen.users.push_back(pod);
  return {};
}

Result<void> Looking::look_at_target(bool certain, Seen& seen) {
  seen.target = claim_seen(pass_.get(kube::kClaims, seen.target_ns, seen.target_name));
  // Nothing of it is left also when all of it is done.
  const bool untouched = !seen.fresh && !seen.staged;
  bool& looked = untouched ? filling_ : switching_;
  if (certain || ((untouched || seen.is_kept()) && !looked && !seen.is_done())) {
    seen.target = claim_seen(
        HF_TRY(control::read_live(pass_, kube::kClaims, seen.target_ns, seen.target_name)));
    looked = looked || !seen.is_done();
    if (seen.target && !seen.is_done()) {
      // By its policy it would go with its claim.
      seen.old =
          volume_seen(HF_TRY(control::read_live(pass_, kube::kVolumes, "", seen.target->volume)));
      HF_TRY(look_at_users(seen));
    }
  }
  // With its policy the volume got rid of the mark.
  if (!seen.fresh && seen.is_done())
    seen.fresh = volume_seen(HF_TRY(read_cached(pass_, kube::kVolumes, "", seen.target->volume)));
  return {};
}

Result<void> Looking::look(bool has_target, bool certain, Seen& seen) {
  const Objects& claims = *HF_TRY(made(kube::kClaims, seen.staged_ns));
  if (const auto found = claims.find(seen.staged_name); found != claims.end())
    seen.staged = claim_seen(found->second);
  HF_TRY(look_at_prover(seen));
  HF_TRY(look_at_volume(seen));
  return has_target ? look_at_target(certain, seen) : ok();
}

}  // namespace holdfast::protect::handover
