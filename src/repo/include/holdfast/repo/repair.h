/// Repair of a damaged repository, as far as possible. The caller holds an exclusive lock.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <stop_token>

namespace holdfast::repo {

struct RepairIndexOptions {
  /// Believes no index: reads the header of every pack.
  bool read_all_packs = false;
  bool dry_run = false;
  int threads = 2;
};

struct RepairIndexResult {
  uint64_t packs = 0;          ///< that the index speaks of now
  uint64_t packs_added = 0;    ///< that no index spoke of, or spoke of wrongly
  uint64_t packs_missing = 0;  ///< that the index spoke of and that are not there
  std::vector<std::pair<Id, std::string>> unreadable{};  ///< stay where they are, in no index
  std::vector<std::string> damaged_indexes{};
  bool changed = false;
};

/// Writes the index anew from what packs say of themselves, then removes the old files.
Result<RepairIndexResult> repair_index(
    Opened& repository, const RepairIndexOptions& options,
    const std::function<void(uint64_t done, uint64_t all)>& progress, const std::stop_token& stop);

struct RepairSnapshotsOptions {
  bool forget = false;  ///< the damaged ones are removed; otherwise the new ones are marked
  bool dry_run = false;
};

struct RepairedSnapshot {
  Id old{};
  std::optional<Snapshot> now{};  ///< nothing: its root is gone, or it was only tried
  std::vector<std::string> losses{};
};

/// Snapshots without the parts that are in no index or cannot be read: files lose the missing
/// pieces, folders that are gone are empty. A new snapshot has the tag "repaired" unless the old
/// one is removed, and names it as its original. Only snapshots that lost something are in the
/// answer.
Result<std::vector<RepairedSnapshot>> repair_snapshots(Indexed& index,
                                                       const std::vector<Snapshot>& snapshots,
                                                       const RepairSnapshotsOptions& options);

}  // namespace holdfast::repo
