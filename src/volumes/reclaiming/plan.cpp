#include "reclaiming/plan.h"

#include <holdfast/control/finalizers.h>

#include "words.h"

namespace holdfast::volumes::reclaiming {

using control::Outcome;

Step plan(const Seen& seen) {
  const Volume& volume = seen.volume;
  const bool ours =
      volume.annotation(kProvisionedBy) == kDriver && volume.reachable_from(seen.node);
  const bool guarded = control::has_finalizer(volume.object, kVolumeFinalizer);
  if (!ours || volume.phase != "Released" || volume.reclaim != "Delete")
    return {.remove = false, .outcome = Outcome::done()};
  if (!volume.deleting)
    return {.remove = true,
            .outcome = Outcome::act(control::remove(kube::kVolumes, volume.object))};
  if (guarded)
    return {.remove = true,
            .outcome = Outcome::act(
                control::drop_finalizer(kube::kVolumes, volume.object, kVolumeFinalizer))};
  return {.remove = false, .outcome = Outcome::done("Deleting")};
}

}  // namespace holdfast::volumes::reclaiming
