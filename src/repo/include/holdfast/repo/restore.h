/// From a repository back into files, or as a stream.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <filesystem>
#include <stop_token>

namespace holdfast::repo {

struct RestoreOptions {
  std::filesystem::path target{};
  std::vector<std::string> includes{}, excludes{};  ///< restic's patterns
  std::string subfolder{};                          ///< of the snapshot; it becomes the root
  enum class Overwrite { Always, IfChanged, IfNewer, Never } overwrite = Overwrite::Always;
  bool delete_extra = false, sparse = false, verify = false, dry_run = false;
  /// uid and gid as stored, or as these say.
  std::function<std::pair<uint32_t, uint32_t>(uint32_t uid, uint32_t gid)> owner{};
  bool ownership = true, extended_attributes = true;
  uint64_t memory_limit = uint64_t{200} << 20;
};

struct RestoreProgress {
  uint64_t files_total = 0, bytes_total = 0;
  uint64_t files_done = 0, bytes_done = 0, bytes_skipped = 0;
};

struct RestoreResult {
  uint64_t files_restored = 0, bytes_restored = 0, files_skipped = 0, files_deleted = 0;
  std::vector<std::string> errors{};  ///< path and reason
};

/// By pack: each pack is read once, in coalesced ranges, and its blobs go where they belong. Every
/// blob is checked against its id before it is written. What is already right is not written again.
Result<RestoreResult> restore(Indexed& index, const Snapshot& snapshot,
                              const RestoreOptions& options,
                              const std::function<void(const RestoreProgress&)>& progress,
                              std::stop_token stop);

/// One file's bytes in order, or a folder as a tar stream.
Result<void> dump(Indexed& index, const Snapshot& snapshot, const std::string& path,
                  const std::function<Result<void>(std::string_view)>& out);

}  // namespace holdfast::repo
