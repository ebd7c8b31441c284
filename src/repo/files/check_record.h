/// A local file that remembers when each pack of a repository was last read and found good:
///
///   holdfast check record 1 REPOSITORY⏎
///   PACK SECONDS⏎ …                        (64 hex digits; since the epoch)
#pragma once

#include <holdfast/repo/repository.h>

#include <filesystem>
#include <map>

namespace holdfast::repo {

using CheckRecord = std::map<Id, WallTime>;

/// A record of another repository, one that is damaged, or none: nothing is remembered.
CheckRecord read_check_record(const std::filesystem::path& path, const std::string& repository);
Result<void> write_check_record(const std::filesystem::path& path, const std::string& repository,
                                const CheckRecord& record);

}  // namespace holdfast::repo
