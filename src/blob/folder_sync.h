/// Sync of a folder store: the names that are sure to survive a power cut.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/base/result.h>

#include <filesystem>
#include <set>

namespace holdfast::blob {

/// A name is safe once its folder was synced after it came; so is its going. That cannot be seen
/// in a folder: whoever made or removed the name may have died before the sync, or not have come to
/// it. So whoever builds upon what it saw syncs it first.
///
/// Safe to use from many threads.
class FolderSync {
 public:
  /// Without a slash at its end.
  explicit FolderSync(std::filesystem::path root) : root_(std::move(root)) {}

  /// The names in one folder.
  static Result<void> sync(const std::filesystem::path& folder);
  /// The name of a folder below the root, and those above it.
  Result<void> keep(const std::filesystem::path& folder);
  /// Somebody has looked at the names in a folder, and may conclude something.
  void looked_at(const std::filesystem::path& folder);
  /// Before anything that may rest on what was seen: those folders, once.
  Result<void> keep_seen();

 private:
  const std::filesystem::path root_;
  Mutex syncing_;  ///< who comes second waits until it is done
  Mutex mutex_;
  std::set<std::filesystem::path> kept_ HF_GUARDED_BY(mutex_), seen_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::blob
