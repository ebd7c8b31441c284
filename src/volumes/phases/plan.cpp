#include "phases/plan.h"

#include "binding/act.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::phases {

using control::Outcome;

namespace {

Outcome phase(const Volume& volume, std::string_view wanted) {
  if (volume.phase == wanted) return Outcome::done(std::string(wanted));
  return Outcome::act(binding::report_volume_phase(volume, wanted));
}

/// A failed one stays failed until a person looks at it.
Outcome release(const Volume& volume) {
  return volume.phase == "Failed" ? Outcome::done("Failed") : phase(volume, "Released");
}

Outcome claim_chose_another(const Volume& volume) {
  // Made for this claim alone, and not needed.
  if (volume.annotated(kProvisionedBy) && volume.reclaim == "Delete") return release(volume);
  return Outcome::act(binding::unbind_volume(volume));
}

}  // namespace

Outcome plan(const Seen& seen) {
  const Volume& volume = seen.volume;
  if (!volume.has_claim || volume.claim_uid.empty()) return phase(volume, "Available");
  if (!seen.claim || seen.claim->uid != volume.claim_uid) return release(volume);
  const Claim& claim = *seen.claim;
  if (claim.volume_name == volume.name) return phase(volume, "Bound");
  if (!claim.volume_name.empty()) return claim_chose_another(volume);
  Outcome waits = Outcome::done("Binding");
  if (volume.block != claim.block)
    waits.notes = {{.warning = true,
                    .reason = "VolumeMismatch",
                    .message = fmt::format("Cannot bind PersistentVolume to requested "
                                           "PersistentVolumeClaim \"{}\" due to incompatible "
                                           "volumeMode.",
                                           claim.name),
                    .action = "Binding"}};
  return waits;
}

}  // namespace holdfast::volumes::phases
