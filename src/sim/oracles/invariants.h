/// What must hold after every commit, whatever goes wrong. Only what a controller can keep although
/// its cache lags behind: that is what makes a breach a defect.
#pragma once

#include "world/history.h"

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
///   one-cut             no claim is ever cut twice for one action of a group
///   volumes-kept        no volume is deleted that a claim of a person, or of a restore, has had
///   log-put-back        no claim of a restore is there before the log of its server was put back,
///                       and that never happens twice
bool is_invariant(std::string_view name);

/// Looks at the commit number `at`, the newest. What is broken, or nothing.
std::optional<std::string> broken(std::string_view invariant, const History& history, size_t at);

}  // namespace holdfast::sim
