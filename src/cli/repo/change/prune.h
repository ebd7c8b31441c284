/// The flags of `prune`, which `forget --prune` has too, and what they do.
#pragma once

#include <holdfast/repo/prune.h>

#include "repo/verb.h"

namespace holdfast::cli {

struct PruneFlags {
  std::string max_repack{}, keep_delete{};
  bool dry_run = false;
  repo::PruneOptions engine{};
};

void add_prune_flags(CLI::App* verb, PruneFlags& flags);
/// The lock that it needs.
LockKind prune_lock(const PruneFlags& flags);
/// The session holds a lock on the repository; a dry run needs none.
Result<int> prune(Session& session, repo::Opened& repository, const PruneFlags& flags);

}  // namespace holdfast::cli
