/// Goals, which the user waits for and which must hold in the end, in words:
///
///   rolled-out deployments/web     observed, all replicas updated and available
///   gone statefulsets/db           there is none of that name
///   complete jobs/load, failed jobs/load
///   count pods 3, ready pods 3     objects there are; pods that are Ready
///   addresses endpoints/web 3      ready addresses in it; for endpointslices/web: in those of the
///                                  Service
///   status ledgers/l PHASE         its status.phase
///   state PLURAL/g STATE           its status.state
///   bound persistentvolumeclaims/c   to a volume that is there and knows it
///
/// and, of the kinds that a driver's model follows, those of that model (holdfast/sim/model.h).
#pragma once

#include <holdfast/sim/model.h>

#include <optional>
#include <string>

namespace holdfast::sim {

inline constexpr std::string_view kNamespace = "default";

/// Invalid if it does not read like one of those above.
Result<void> check_goal(std::string_view goal, const Models& models);
/// Nothing if it holds; otherwise what is there instead. `calm`: nothing went wrong in this run.
std::optional<std::string> unmet(std::string_view goal, const History& history,
                                 const Models& models = {}, bool calm = false);

}  // namespace holdfast::sim
