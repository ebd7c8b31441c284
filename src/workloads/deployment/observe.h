/// Observation of a Deployment: all that one decision about it needs.
#pragma once

#include <holdfast/control/reconciler.h>

#include "deployment/plan.h"

namespace holdfast::workloads::deployment {

/// Nothing if it is gone.
std::optional<Seen> observe(control::Pass& pass);

}  // namespace holdfast::workloads::deployment
