/// Locks of other processes: their content, age and owner.
#pragma once

#include "locks/lock_file.h"

namespace holdfast::repo {

/// Conflict if a lock other than `own` forbids one of that kind. A lock that cannot be read may be
/// any lock: it is tried four more times, then it stands in the way too.
Result<void> refuse_others(Opened& repository, const LockOptions& options,
                           const std::optional<Id>& own, const std::stop_token& stop);

}  // namespace holdfast::repo
