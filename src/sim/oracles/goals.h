/// What the user waits for and what must hold in the end, in words:
///
///   rolled-out deployments/web     observed, all replicas updated and available
///   gone statefulsets/db           there is none of that name
///   complete jobs/load, failed jobs/load
///   count pods 3, ready pods 3     objects there are; pods that are Ready
///   addresses endpoints/web 3      ready addresses in it; for endpointslices/web: in those of the
///                                  Service
///   status ledgers/l PHASE         its status.phase
///   state volumegroups/g STATE     its status.state
///   ended volumegroups/g REASONS   settled, and Completed unless for one of these reasons (A|B)
///   bound persistentvolumeclaims/c   to a volume that is there and knows it
///   settled volumegroups/g         nothing is asked of it by label, and nothing of it runs
#pragma once

#include "world/history.h"

#include <optional>
#include <string>

namespace holdfast::sim {

inline constexpr std::string_view kNamespace = "default";

/// Invalid if it does not read like one of those above.
Result<void> check_goal(std::string_view goal);
/// Nothing if it holds; otherwise what is there instead.
std::optional<std::string> unmet(std::string_view goal, const History& history);

}  // namespace holdfast::sim
