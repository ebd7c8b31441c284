/// Binding of claims to volumes, one next step at a time, as kube-controller-manager's
/// persistentvolume-binder decides it. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "storage.h"

#include <optional>
#include <vector>

namespace holdfast::volumes::binding {

struct Seen {
  Claim claim{};
  std::optional<Class> storage_class{};  ///< the one that the claim names, if it exists
  std::string default_class{};           ///< for claims that name none; "" = there is none
  std::optional<Volume> named{};         ///< the one of spec.volumeName, if it exists
  std::vector<Volume> volumes{};         ///< all there are
};

/// The volume that an unbound claim gets: one that was reserved for it; else of those that are
/// available, with its class, modes, selector and at least its size, the one with the fewest other
/// modes, then the smallest. A claim whose class waits for a consumer gets only what is reachable
/// from its selected node.
const Volume* best_match(const Seen& seen);

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::binding
