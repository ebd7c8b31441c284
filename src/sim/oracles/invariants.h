/// Invariants: what must hold after every commit, whatever goes wrong. Only what a controller can
/// keep although its cache lags behind: that is what makes a breach a defect.
#pragma once

#include <holdfast/sim/model.h>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::sim {

/// By name:
///   no-extra-pods       never more pods of a ReplicaSet or StatefulSet than it ever asked for
///   surge-kept          the ReplicaSets of a Deployment never ask for more than replicas and
///                       maxSurge allow
///   availability-kept   no ready pod of a Deployment is deleted below replicas − maxUnavailable
///   ordered             pods of a StatefulSet come one after the other, and go one at a time
///   claims-kept         no claim is ever deleted
///   job-limits          never more pods of a Job at once than parallelism, nor more failures than
///                       backoffLimit allows, nor more successes than completions
///   status-true         status counts never contradict each other, nor know a generation that is
///                       not there yet
///   one-mover           never two movers of a data move at once
///   one-upkeep          never two pods of upkeep at once; scenarios have one repository
///   moved-truly         a data move is Completed only with the snapshot of a mover that succeeded
///   as-asked            a mover does what its move was asked for when it was accepted
///   movers-limited      never more Movers of a location than its limits allow
/// and those of cuts (cuts.h) and of the models of drivers.
bool is_invariant(std::string_view name, const Models& models);

/// Looks at the commit number `at`, the newest. What is broken, or nothing.
std::optional<std::string> broken(std::string_view invariant, const History& history, size_t at,
                                  const Models& models = {});

}  // namespace holdfast::sim
