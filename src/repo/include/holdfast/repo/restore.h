/// Restore of files from a repository.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <stop_token>

namespace holdfast::repo {

/// What was done to a file or folder.
enum class Restoring { Restored, Updated, Unchanged, Deleted };

struct RestoreOptions {
  std::string target{};
  /// Instead of a folder: a block device, or a file, over whose bytes those of the image or file
  /// that `subfolder` names are written, as far as they differ.
  std::string to_device{};
  /// restic's patterns; paths of the snapshot, which begin with a slash.
  std::vector<std::string> includes{}, insensitive_includes{};
  std::vector<std::string> excludes{}, insensitive_excludes{};
  std::string subfolder{};  ///< of the snapshot; what is in it goes into the target
  /// Always: only the parts of a file that differ are written. IfChanged: files of equal size and
  /// time are taken as equal.
  enum class Overwrite { Always, IfChanged, IfNewer, Never } overwrite = Overwrite::Always;
  bool delete_extra = false, sparse = false, verify = false, dry_run = false;
  /// uid and gid as stored, or as this says.
  std::function<std::pair<uint32_t, uint32_t>(uint32_t uid, uint32_t gid)> owner{};
  bool ownership = true, extended_attributes = true;
  /// Also what a stranger's repository should not be trusted with: device nodes, set-user-ID and
  /// set-group-ID of files, file capabilities (and other attributes of security.* and trusted.*,
  /// but for labels). Otherwise they are left out, and counted.
  bool special = false;
  /// Nobody else may enter the target until the restore is over; one that is made stays so.
  bool closed = true;
  int threads = 2;
  /// Hears of every file and folder when it is done, by its path in the snapshot; one at a time,
  /// from any thread.
  std::function<void(Restoring, const std::string& path, uint64_t size)> item{};
};

struct RestoreProgress {
  uint64_t files_total = 0, bytes_total = 0;  ///< as far as the trees were read
  uint64_t files_done = 0, bytes_done = 0;
  uint64_t bytes_skipped = 0;  ///< of those done: they were there already
  uint64_t errors = 0;
};

/// Files are also folders, links and devices, as restic counts.
struct RestoreResult {
  uint64_t chosen = 0;  ///< what the patterns let through, whether it had to be written or not
  uint64_t files_restored = 0, bytes_restored = 0;
  uint64_t files_unchanged = 0, bytes_skipped = 0, files_deleted = 0;
  uint64_t files_verified = 0;
  uint64_t left_out = 0;                      ///< files and folders that lack something special
  std::vector<std::string> left_out_first{};  ///< path and what it lacks, of the first of them
  std::vector<std::string> errors{};          ///< path and reason
};

/// By pack: each pack is read once, in coalesced ranges, and its blobs go where they belong. Every
/// blob is checked against its id before it is written. A file that misses a blob, or whose blob is
/// damaged, is named among the errors and everything else is restored. A disk that is full ends it:
/// Invalid, with what is there so far.
Result<RestoreResult> restore(Indexed& index, const Snapshot& snapshot,
                              const RestoreOptions& options,
                              const std::function<void(const RestoreProgress&)>& progress,
                              std::stop_token stop);

/// The tree of a folder of a snapshot; NotFound names the path.
Result<Id> find_tree(Indexed& index, const Id& root, std::string_view path);

}  // namespace holdfast::repo
