/// Forgetting of snapshots of a repository; their data stays until it is pruned.
#pragma once

#include <holdfast/protect/mover.h>
#include <holdfast/repo/snapshot.h>

#include <string>
#include <vector>

namespace holdfast::protect {

/// Removes the snapshots that the task names, and sees that they are gone: how many were there.
/// What was gone before is no error. Before the first one goes, all must be known to carry every
/// tag of the task and to be free to go; otherwise none does, and `reason` has one word for it.
Result<int64_t> forget_snapshots(repo::Opened& repository, const MoveTask& task, WallTime now,
                                 std::string& reason);

}  // namespace holdfast::protect
