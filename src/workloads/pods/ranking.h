/// Ranking of pods for deletion when there are too many.
#pragma once

#include "pods/pod.h"

namespace holdfast::workloads {

/// The order of the real manager, first to go first: not bound, pending, not ready, cheaper to
/// delete, more active `related` pods on the same node, ready for less long, more restarts,
/// younger. Ages are compared by their binary logarithm, so that pods of about the same age go in
/// an order that their uids decide.
std::vector<Pod> first_to_go(std::vector<Pod> pods, const std::vector<Pod>& related, WallTime now);

}  // namespace holdfast::workloads
