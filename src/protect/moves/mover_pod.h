/// The objects that a move needs: its mover's pod, and the account that reports for it.
#pragma once

#include <holdfast/protect/controllers.h>

#include "moves/staging_objects.h"

namespace holdfast::protect {

inline constexpr std::string_view kMoverAccount = "holdfast-mover";
inline constexpr std::string_view kAttemptLabel = "holdfast.dev/attempt";
/// On movers that run in another namespace than their move: NAMESPACE/NAME of it.
inline constexpr control::Mark kMoverElsewhere{kMoveLabel, "holdfast.dev/data-move-of"};

std::string mover_name(const MoveSeen& seen, int64_t attempt);
/// What the pod is told, without a secret.
MoveTask task_of(const MoveSeen& seen, int64_t attempt);
model::Value mover_pod(const MoveSeen& seen, int64_t attempt, const MoverSettings& settings);
/// ServiceAccount, beside the location, Role and RoleBinding, beside the move, in that order; and
/// the same two for this move alone, if it is about a pod.
std::vector<std::pair<kube::Resource, model::Value>> account_of(const MoveSeen& seen);
/// Of the Role and RoleBinding that let the mover execute commands in the move's pod, and no other.
std::string exec_role_name(const MoveSeen& seen);

}  // namespace holdfast::protect
