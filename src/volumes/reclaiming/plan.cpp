#include "reclaiming/plan.h"

#include <holdfast/control/finalizers.h>

#include "words.h"

namespace holdfast::volumes::reclaiming {

using control::Outcome;

namespace {

/// Nothing tells when the folder can be removed.
constexpr std::chrono::seconds kAgain{15};

Outcome not_removed(const Error& why) {
  Outcome again = Outcome::wait(kAgain, "VolumeFailedDelete", why.what());
  again.notes = {{.warning = true,
                  .reason = "VolumeFailedDelete",
                  .message = why.what(),
                  .action = "Deleting"}};
  return again;
}

}  // namespace

Outcome plan(const Seen& seen) {
  const Volume& volume = seen.volume;
  const bool ours =
      volume.annotation(kProvisionedBy) == kDriver && volume.reachable_from(seen.node);
  const bool guarded = control::has_finalizer(volume.object, kVolumeFinalizer);
  if (!ours || volume.phase != "Released" || volume.reclaim != "Delete") return Outcome::done();
  if (volume.deleting && !guarded) return Outcome::done("Deleting");
  if (!seen.removed) return Outcome::ask(kRemoveFolder);
  if (!*seen.removed) return not_removed(seen.removed->error());
  return Outcome::act(volume.deleting
                          ? control::drop_finalizer(kube::kVolumes, volume.object, kVolumeFinalizer)
                          : control::remove(kube::kVolumes, volume.object));
}

}  // namespace holdfast::volumes::reclaiming
