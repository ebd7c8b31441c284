/// Rights that a controller needs, declared beside it; `holdfast rbac` prints the sum.
#pragma once

#include <holdfast/control/reconciler.h>

#include <string>
#include <vector>

namespace holdfast::control {

/// What it takes to watch what it watches; the rest is in `spec.rights`.
std::vector<Right> rights_to_watch(const ControllerSpec& spec);
/// Of the kinds that controllers know: whether their objects are in no namespace. A right on them
/// is of no use in a namespace's role.
bool is_cluster_scoped(std::string_view group, std::string_view resource);
/// What the runtime itself needs in any namespace: events.
std::vector<Right> runtime_rights();
/// What it needs in its own namespace only: the lease.
std::vector<Right> lease_rights();
/// RBAC rules: one per group and set of verbs, each right once, sorted.
model::Array rules_of(const std::vector<Right>& rights);

}  // namespace holdfast::control
