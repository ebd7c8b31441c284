/// Forgetting of snapshots of a repository; their data stays until it is pruned.
#pragma once

#include <holdfast/protect/mover.h>
#include <holdfast/repo/snapshot.h>

#include <string>
#include <vector>

namespace holdfast::protect {

/// Snapshots that are gone because a task asked for it.
struct Forgotten {
  std::vector<std::string> ids{};  ///< all that the task meant, also those that were gone before
  int64_t removed = 0;             ///< those that it found
};

/// Removes the snapshots that the task names, or all that carry its tags, and sees that they are
/// gone. What was gone before is no error. Before the first one goes, all must be known to carry
/// every tag of the task, to be old enough and to be free to go; otherwise none does, and `reason`
/// has one word for it.
Result<Forgotten> forget_snapshots(repo::Opened& repository, const MoveTask& task, WallTime now,
                                   std::string& reason);

}  // namespace holdfast::protect
