#include "provisioning/plan.h"

#include "provisioning/act.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::provisioning {

using control::Outcome;

namespace {

/// Nothing tells when the source is ready, or when there is room again.
constexpr auto kAgain = std::chrono::seconds(15);

Outcome with_event(Outcome outcome, std::string_view class_name) {
  outcome.notes = {failed_note(class_name, outcome.message)};
  return outcome;
}

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

Outcome make(const Seen& seen) {
  if (seen.volume) return Outcome::done("Provisioned");
  if (seen.source.kind == Source::Kind::Foreign) return Outcome::done("ForeignSource");
  const std::string& of_class = seen.storage_class->name;
  if (const std::string why = refusal(seen.claim); !why.empty())
    return with_event(Outcome::stop("ProvisioningFailed", why), of_class);
  if (const std::string why = obstacle(seen); !why.empty())
    return with_event(Outcome::wait(kAgain, "ProvisioningFailed", why), of_class);
  if (!seen.made) return Outcome::ask(kMakeFolder);
  if (*seen.made) return Outcome::act(create_volume(seen));
  return with_event(Outcome::wait(kAgain, "ProvisioningFailed", seen.made->error().what()),
                    of_class);
}

/// The volume first, then what the claim is told it has.
Outcome grow(const Seen& seen) {
  const Claim& claim = seen.claim;
  const Volume& volume = *seen.volume;
  if (claim.phase != "Bound" || claim.deleting) return Outcome::done();
  const model::Quantity has = quantity_at(*claim.value, {"status", "capacity", "storage"});
  if (claim.requested <= has) return Outcome::done();
  if (volume.capacity < claim.requested) return Outcome::act(grow_volume(volume, claim));
  return Outcome::act(report_grown(claim, volume));
}

}  // namespace

std::string volume_name(const Claim& claim) { return "pvc-" + claim.uid; }

Outcome plan(const Seen& seen) {
  if (ours_to_make(seen)) return make(seen);
  const bool ours = seen.volume && seen.volume->annotation(kProvisionedBy) == kDriver &&
                    seen.volume->claim_uid == seen.claim.uid &&
                    seen.volume->reachable_from(seen.node);
  return ours ? grow(seen) : Outcome::done();
}

}  // namespace holdfast::volumes::provisioning
