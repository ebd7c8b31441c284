#include "provisioning/plan.h"

#include "provisioning/act.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::provisioning {

using control::Note;
using control::Outcome;

namespace {

constexpr auto kAgain = std::chrono::seconds(15);

Step leave(Outcome outcome) { return {.make = false, .outcome = std::move(outcome)}; }

/// What no amount of trying changes; empty if nothing is in the way.
std::string refusal(const Claim& claim) {
  if (claim.block)
    return fmt::format(
        "volumeMode Block is not provided by {}: its volumes are folders; use Filesystem", kDriver);
  for (const std::string& mode : claim.modes)
    if (mode != "ReadWriteOnce" && mode != "ReadWriteOncePod")
      return fmt::format(
          "access mode {} is not provided by {}: its volumes are reached from one node; use "
          "ReadWriteOnce",
          mode, kDriver);
  if (model::find(*claim.value, {"spec", "selector"}) != nullptr)
    return "claim Selector is not supported";
  return "";
}

bool ours_to_make(const Seen& seen) {
  const Claim& claim = seen.claim;
  if (claim.deleting || !claim.volume_name.empty() || claim.provisioner() != kDriver) return false;
  if (!seen.storage_class || seen.storage_class->provisioner != kDriver) return false;
  const std::string_view selected = claim.annotation(kSelectedNode);
  return selected.empty() ? !seen.storage_class->waits : selected == seen.node;
}

/// What may change by itself: the source is not ready, or the claim is edited.
std::string obstacle(const Seen& seen) {
  const Source& source = seen.source;
  if (!source.problem.empty() || source.kind == Source::Kind::None) return source.problem;
  if (seen.claim.requested < source.least)
    return fmt::format("requested volume size {} is less than the size {} of the source",
                       seen.claim.requested.value(), source.least.value());
  return "";
}

Step make(const Seen& seen) {
  if (seen.volume) return leave(Outcome::done("Provisioned"));
  if (seen.source.kind == Source::Kind::Foreign) return leave(Outcome::done("ForeignSource"));
  if (const std::string why = refusal(seen.claim); !why.empty()) {
    Outcome out = Outcome::stop("ProvisioningFailed", why);
    out.notes = {failed_note(seen.storage_class->name, why)};
    return leave(std::move(out));
  }
  if (const std::string why = obstacle(seen); !why.empty()) {
    Outcome out = Outcome::wait(kAgain, "ProvisioningFailed", why);
    out.notes = {failed_note(seen.storage_class->name, why)};
    return leave(std::move(out));
  }
  return {.make = true, .outcome = Outcome::act(create_volume(seen))};
}

/// The volume first, then what the claim is told it has.
Step grow(const Seen& seen) {
  const Claim& claim = seen.claim;
  const Volume& volume = *seen.volume;
  if (claim.phase != "Bound" || claim.deleting) return leave(Outcome::done());
  const model::Quantity has = quantity_at(*claim.value, {"status", "capacity", "storage"});
  if (claim.requested <= has) return leave(Outcome::done());
  if (volume.capacity < claim.requested) return leave(Outcome::act(grow_volume(volume, claim)));
  return leave(Outcome::act(report_grown(claim, volume)));
}

}  // namespace

std::string volume_name(const Claim& claim) { return "pvc-" + claim.uid; }

Note failed_note(std::string_view class_name, std::string_view why) {
  return {.warning = true,
          .reason = "ProvisioningFailed",
          .message = fmt::format("failed to provision volume with StorageClass \"{}\": {}",
                                 class_name, why),
          .action = "Provisioning"};
}

Step plan(const Seen& seen) {
  if (ours_to_make(seen)) return make(seen);
  const bool ours = seen.volume && seen.volume->annotation(kProvisionedBy) == kDriver &&
                    seen.volume->claim_uid == seen.claim.uid &&
                    seen.volume->reachable_from(seen.node);
  return ours ? grow(seen) : leave(Outcome::done());
}

}  // namespace holdfast::volumes::provisioning
