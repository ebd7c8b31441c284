/// State of a volume's hand-over, read from the server itself.
#include <holdfast/control/reconciler.h>
#include <holdfast/protect/cut/handover.h>

namespace holdfast::protect::handover {
namespace {

using control::read_live;
using model::string_at;
using model::Value;

std::string_view annotation(const Value& object, std::string_view key) {
  return string_at(object, {"metadata", "annotations", key});
}

Result<void> look_at_volumes(control::Pass& pass, Seen& seen) {
  const auto read = [&](std::string_view name) -> Result<std::optional<Volume>> {
    return volume_seen(HF_TRY(read_live(pass, kube::kVolumes, "", name)));
  };
  for (const kube::Cached& volume : pass.list(kube::kVolumes, "")) {
    if (volume.metadata().find(seen.staged_name) == std::string_view::npos) continue;
    if (annotation(*volume.shared_value(), kRestoredBy) == seen.staged_name)
      seen.fresh = HF_TRY(read(volume.name()));
  }
  if (!seen.fresh && seen.staged && seen.staged->bound)
    seen.fresh = HF_TRY(read(seen.staged->volume));
  if (seen.target && !seen.is_done()) seen.old = HF_TRY(read(seen.target->volume));
  return {};
}

/// Asked of the server: a pod that came a moment ago counts.
Result<void> look_at_users(kube::Client& client, Seen& seen) {
  const auto listed = client.list(kube::kPods, seen.target_ns, {}, [&](const Value& pod) {
    const std::string_view phase = string_at(pod, {"status", "phase"});
    if (phase == "Succeeded" || phase == "Failed") return true;
    for (const std::string& each : claims_of(pod))
      if (each == seen.target_name) seen.users.emplace_back(string_at(pod, {"metadata", "name"}));
    return true;
  });
  if (!listed) return listed.error().error.copy();
  return {};
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
  out.bound = string_at(*value, {"status", "phase"}) == "Bound";
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
  out.object = std::move(object);
  return out;
}

Result<void> look(control::Pass& pass, kube::Client& client, const Owned& owned, bool has_target,
                  Seen& seen) {
  if (has_target)
    seen.target =
        claim_seen(HF_TRY(read_live(pass, kube::kClaims, seen.target_ns, seen.target_name)));
  kube::Cached found = HF_TRY(read_live(pass, kube::kClaims, seen.staged_ns, seen.staged_name));
  if (control::is_made_for(found, owned.mark, owned.owner.uid))
    seen.staged = claim_seen(std::move(found));
  HF_TRY(look_at_volumes(pass, seen));
  if (seen.target && !seen.is_done()) HF_TRY(look_at_users(client, seen));
  return {};
}

}  // namespace holdfast::protect::handover
