/// The v1 Endpoints of a Service: addresses that offer the same ports stand in one subset.
#pragma once

#include <holdfast/control/outcome.h>

#include "endpoints/service.h"

namespace holdfast::workloads::endpoints {

/// Pure. `current` is null if there are none yet.
control::Outcome plan_endpoints(const Service& service, const std::vector<Backend>& pods,
                                const kube::Cached& current);
/// In canonical layout: every address once per subset, subsets and their lists sorted.
model::Array subsets_of(const Service& service, const std::vector<Backend>& pods);
/// Leaves at most 1000 addresses, those that are ready first, spread over the subsets in
/// proportion. True if any had to go.
bool truncate(model::Array& subsets);

}  // namespace holdfast::workloads::endpoints
