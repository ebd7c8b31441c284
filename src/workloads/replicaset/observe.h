/// Observation of a ReplicaSet: all that one decision about it needs.
#pragma once

#include <holdfast/control/reconciler.h>

#include "replicaset/plan.h"

namespace holdfast::workloads::replicaset {

/// Nothing if it is gone.
std::optional<Seen> observe(control::Pass& pass);

}  // namespace holdfast::workloads::replicaset
