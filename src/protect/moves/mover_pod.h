/// The objects that a move needs beside its staging: its Mover, the account that reports for it,
/// and its mover's pod.
#pragma once

#include <holdfast/protect/controllers.h>

#include "moves/staging_objects.h"

namespace holdfast::protect {

inline constexpr std::string_view kAttemptLabel = "holdfast.dev/attempt";
/// On what a move has in another namespace: NAMESPACE/NAME of it.
inline constexpr control::Mark kMoverElsewhere{kMoveLabel, "holdfast.dev/data-move-of"};

std::string mover_name(const MoveSeen& seen, int64_t attempt);
/// Of the Mover, its account and its role: fixed by the move's uid, in 16 digits, so that no choice
/// of names for moves has two of them meet.
std::string mover_object_name(std::string_view move_uid);

/// What the pod is told, without a secret.
MoveTask task_of(const MoveSeen& seen, int64_t attempt);
model::Value mover_pod(const MoveSeen& seen, int64_t attempt, const MoverSettings& settings);

/// The Mover; then, once it is there, what it owns: ServiceAccount, Role and RoleBinding; then,
/// beside the move, the right to execute commands, if it is about a pod. In that order.
std::vector<std::pair<kube::Resource, model::Value>> account_of(const MoveSeen& seen);
/// Of the Role and RoleBinding that let the mover execute commands in the move's pod, and no other.
std::string exec_role_name(const MoveSeen& seen);

}  // namespace holdfast::protect
