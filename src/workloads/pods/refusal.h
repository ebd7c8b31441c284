/// Refusal of a controller's last write by the server, and what it means.
#pragma once

#include <holdfast/control/reconciler.h>

#include <string>

namespace holdfast::workloads {

/// The server's own words; "" if nothing was refused, or if somebody else was merely faster.
std::string refused_because(const control::Pass& pass);
/// Refused because the namespace is being deleted: no try will ever succeed, and nobody need know.
bool namespace_is_ending(const control::Pass& pass);

}  // namespace holdfast::workloads
