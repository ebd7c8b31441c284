/// A lock file, sealed like a snapshot:
///
///   {"time":TIME,"exclusive":BOOL,"hostname":…,"username":…,"pid":N,"uid":N?,"gid":N?}
#pragma once

#include <holdfast/repo/lock.h>

namespace holdfast::repo {

Result<LockInfo> parse_lock(std::string_view json, const Id& id);
std::string to_json(const LockInfo& lock);

}  // namespace holdfast::repo
