/// Status and conditions of a Job. Pods are counted in two steps, so that a crash between any two
/// writes neither loses one nor counts it twice:
///   1. the uid of a pod that ended goes into status.uncountedTerminatedPods (an index that
///      succeeded into completedIndexes), with why the Job ends, if it does
///   2. the pod's finalizer goes; it may now vanish
///   3. uids without a pod that has the finalizer leave the list, and `succeeded` or `failed` grows
#pragma once

#include <holdfast/control/write.h>

#include "job/tally.h"

namespace holdfast::workloads::job {

struct NextStatus {
  model::Object status{};
  /// It holds what must stand before anything else is done: new uids, why the Job ends, its start.
  bool records = false;
  std::optional<control::Note> note{};
  bool too_many_succeeded = false;
};
NextStatus next_status(const Observed& seen, const Tally& counts,
                       const std::optional<Verdict>& verdict);
/// The status as seen has all that is to be known of the pod.
bool is_recorded(const Observed& seen, const Tally& counts, const std::optional<Verdict>& verdict,
                 const JobPod& pod);

}  // namespace holdfast::workloads::job
