#include "binding/plan.h"

#include <holdfast/model/selector.h>

#include "binding/act.h"
#include "words.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace holdfast::volumes::binding {

using control::Note;
using control::Outcome;

namespace {

Outcome pending(const Claim& claim, std::vector<Note> notes) {
  Outcome out = claim.phase == "Pending" ? Outcome::done("Pending")
                                         : Outcome::act(report_phase(claim, "Pending"));
  out.notes = std::move(notes);
  return out;
}

Outcome lost(const Claim& claim, std::string reason, std::string message) {
  if (claim.phase == "Lost") return Outcome::done("Lost", message);
  Outcome out = Outcome::act(report_phase(claim, "Lost"));
  out.notes = {{.warning = true,
                .reason = std::move(reason),
                .message = std::move(message),
                .action = "Binding"}};
  return out;
}

/// The volume first: whoever crashes in between finds a volume that names its claim.
Outcome bind(const Volume& volume, const Claim& claim) {
  if (volume.claim_uid != claim.uid) return Outcome::act(bind_volume(volume, claim));
  if (volume.phase != "Bound") return Outcome::act(report_volume_bound(volume));
  if (claim.volume_name != volume.name || !claim.annotated(kBindCompleted))
    return Outcome::act(bind_claim(claim, volume));
  if (claim.phase != "Bound") return Outcome::act(report_bound(claim, volume));
  return Outcome::done("Bound");
}

bool offers_modes(const Volume& volume, const Claim& claim) {
  return std::includes(volume.modes.begin(), volume.modes.end(), claim.modes.begin(),
                       claim.modes.end());
}

/// Why the volume that a person named cannot be the claim's; empty if it can.
std::string mismatch(const Volume& volume, const Claim& claim) {
  if (volume.deleting) return fmt::format("the volume is marked for deletion \"{}\"", volume.name);
  if (volume.capacity < claim.requested) return "requested PV is too small";
  if (volume.class_name != claim.class_name) return "storageClassName does not match";
  if (volume.block != claim.block) return "incompatible volumeMode";
  if (!offers_modes(volume, claim)) return "incompatible accessMode";
  return "";
}

bool waits_for_consumer(const Seen& seen) {
  return seen.storage_class && seen.storage_class->waits &&
         seen.claim.annotation(kSelectedNode).empty();
}

/// An empty class that is written down is a choice: only volumes without a class.
bool says_no_class(const Claim& claim) {
  return !claim.annotated(kClassAnnotation) &&
         model::find(*claim.value, {"spec", "storageClassName"}) == nullptr;
}

Outcome ask_for_volume(const Seen& seen) {
  const Claim& claim = seen.claim;
  if (!seen.storage_class)
    return pending(
        claim,
        {{.warning = true,
          .reason = "ProvisioningFailed",
          .message = fmt::format("storageclass.storage.k8s.io \"{}\" not found", claim.class_name),
          .action = "Provisioning"}});
  const std::string& provisioner = seen.storage_class->provisioner;
  if (provisioner.starts_with("kubernetes.io/"))
    return pending(claim,
                   {{.warning = true,
                     .reason = "ProvisioningFailed",
                     .message = fmt::format("no volume plugin matched name: {}", provisioner),
                     .action = "Provisioning"}});
  const Note waiting{
      .reason = "ExternalProvisioning",
      .message = fmt::format(
          "Waiting for a volume to be created either by the external provisioner '{}' or manually "
          "by the system administrator. If volume creation is delayed, please verify that the "
          "provisioner is running and correctly registered.",
          provisioner),
      .action = "Provisioning"};
  if (claim.annotation(kProvisioner) == provisioner) return pending(claim, {waiting});
  Outcome out = Outcome::act(ask_provisioner(claim, provisioner));
  return out;
}

Outcome bind_to_any(const Seen& seen) {
  const Claim& claim = seen.claim;
  if (const Volume* volume = best_match(seen)) return bind(*volume, claim);
  if (says_no_class(claim) && !seen.default_class.empty())
    return Outcome::act(give_class(claim, seen.default_class));
  if (waits_for_consumer(seen))
    return pending(claim, {{.reason = "WaitForFirstConsumer",
                            .message = "waiting for first consumer to be created before binding",
                            .action = "Binding"}});
  if (!claim.class_name.empty()) return ask_for_volume(seen);
  return pending(claim, {{.reason = "FailedBinding",
                          .message = "no persistent volumes available for this claim and no "
                                     "storage class is set",
                          .action = "Binding"}});
}

Outcome bind_to_named(const Seen& seen) {
  const Claim& claim = seen.claim;
  if (!seen.named) return pending(claim, {});
  const Volume& volume = *seen.named;
  if (volume.meant_for(claim)) return bind(volume, claim);
  const std::string why = volume.has_claim ? "" : mismatch(volume, claim);
  if (!volume.has_claim && why.empty()) return bind(volume, claim);
  if (!volume.has_claim)
    return pending(
        claim,
        {{.warning = true,
          .reason = "VolumeMismatch",
          .message = fmt::format("Cannot bind to requested volume \"{}\": {}", volume.name, why),
          .action = "Binding"}});
  return pending(
      claim,
      {{.warning = true,
        .reason = "FailedBinding",
        .message = fmt::format("volume \"{}\" already bound to a different claim.", volume.name),
        .action = "Binding"}});
}

Outcome keep_bound(const Seen& seen) {
  const Claim& claim = seen.claim;
  if (claim.volume_name.empty())
    return lost(claim, "ClaimLost",
                "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  if (!seen.named)
    return lost(claim, "ClaimLost",
                "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  if (!seen.named->has_claim || seen.named->claim_uid == claim.uid || seen.named->meant_for(claim))
    return bind(*seen.named, claim);
  return lost(claim, "ClaimMisbound",
              "Two claims are bound to the same volume, this one is bound incorrectly");
}

}  // namespace

const Volume* best_match(const Seen& seen) {
  const Claim& claim = seen.claim;
  const model::Value* wanted = model::find(*claim.value, {"spec", "selector"});
  const Result<model::LabelSelector> selector =
      wanted ? model::LabelSelector::from_object(*wanted) : model::LabelSelector();
  const bool delayed = seen.storage_class && seen.storage_class->waits;
  const std::string_view node = claim.annotation(kSelectedNode);
  const auto rank = [](const Volume& v) { return std::tie(v.capacity, v.name); };
  const Volume* best = nullptr;
  for (const Volume& volume : seen.volumes) {
    if (volume.deleting || volume.block != claim.block || !offers_modes(volume, claim)) continue;
    if (volume.capacity < claim.requested) continue;
    if (volume.meant_for(claim)) return &volume;
    if (volume.has_claim || volume.phase != "Available") continue;
    if (volume.class_name != claim.class_name) continue;
    if (!selector || !selector->matches(volume.object.labels())) continue;
    if (delayed && (node.empty() || !volume.reachable_from(node))) continue;
    if (best != nullptr && best->modes.size() < volume.modes.size()) continue;
    if (best == nullptr || volume.modes.size() < best->modes.size() || rank(volume) < rank(*best))
      best = &volume;
  }
  return best;
}

Outcome plan(const Seen& seen) {
  if (seen.claim.annotated(kBindCompleted)) return keep_bound(seen);
  if (seen.claim.deleting) return Outcome::done("Deleting");
  return seen.claim.volume_name.empty() ? bind_to_any(seen) : bind_to_named(seen);
}

}  // namespace holdfast::volumes::binding
