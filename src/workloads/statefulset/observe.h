/// Observation of a StatefulSet: all that one pass over it needs.
#pragma once

#include <holdfast/control/reconciler.h>

#include "statefulset/observed.h"

#include <optional>

namespace holdfast::workloads::statefulset {

/// What was seen, or the one write that must come first: a pod or a revision that changes hands.
struct Look {
  Observed seen{};
  std::optional<control::Write> claiming{};
};
/// Invalid if the selector does not parse.
Result<Look> observe(control::Pass& pass, const kube::Cached& set);

}  // namespace holdfast::workloads::statefulset
