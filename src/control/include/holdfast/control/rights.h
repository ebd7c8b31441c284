/// Rights that a controller needs, declared beside it; `holdfast rbac` prints the sum.
#pragma once

#include <holdfast/control/reconciler.h>

#include <string>
#include <vector>

namespace holdfast::control {

/// Watched resources can be read; the rest is in `spec.rights`.
std::vector<Right> rights_of(const ControllerSpec& spec);
/// What the runtime itself needs in any namespace: events.
std::vector<Right> runtime_rights();
/// What it needs in its own namespace only: the lease.
std::vector<Right> lease_rights();
/// RBAC rules: one per group and set of verbs, each right once, sorted.
model::Array rules_of(const std::vector<Right>& rights);

}  // namespace holdfast::control
