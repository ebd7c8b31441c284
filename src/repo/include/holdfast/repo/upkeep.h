/// Keeping a repository whole and small: check, forget, prune, repair.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <map>
#include <stop_token>

namespace holdfast::repo {

struct CheckOptions {
  /// 0: structure only; 1: all data; between: that part, chosen by pack.
  double data_share = 0;
  uint64_t part = 0, parts = 0;    ///< n/t of restic's --read-data-subset
  uint64_t data_bytes = 0;         ///< so many bytes, chosen by chance
  std::chrono::hours good_for{0};  ///< packs checked more recently than this are left out
};
struct Damage {
  std::string place{};  ///< "pack 3f2a…", "tree …", "index …", "snapshot …"
  std::string what{};
  bool hint = false;  ///< no data is at risk
};
struct CheckResult {
  std::vector<Damage> damages{};
  uint64_t packs_read = 0, bytes_read = 0, packs = 0, blobs = 0, snapshots = 0;
  std::optional<WallTime> oldest_unread{};
};
Result<CheckResult> check(Indexed& index, const CheckOptions& options,
                          const std::function<void(uint64_t done, uint64_t all)>& progress,
                          std::stop_token stop);

struct KeepPolicy {
  int last = 0, hourly = 0, daily = 0, weekly = 0, monthly = 0, yearly = 0;  ///< -1 = all
  std::chrono::seconds within{0};
  std::map<char, std::chrono::seconds> within_each{};  ///< by 'h' 'd' 'w' 'm' 'y'
  std::vector<std::vector<std::string>> tags{};
  bool empty() const;
};
struct Kept {
  Snapshot snapshot{};
  bool keep = false;
  std::vector<std::string> reasons{};
};
/// Pure. Of snapshots of one group; the newest good one is always kept.
std::vector<Kept> apply_policy(std::vector<Snapshot> snapshots, const KeepPolicy& policy);

struct PruneOptions {
  std::string max_unused = "5%";  ///< of what stays, "10G", "unlimited"
  uint64_t max_repack_bytes = 0;
  bool repack_cacheable_only = false, repack_small = false, repack_uncompressed = false;
  std::chrono::hours keep_delete{23};  ///< marked packs wait so long
  bool instant = false;                ///< deletes at once, under an exclusive lock, as restic does
  bool dry_run = false;
};
struct PrunePlan {
  struct Pack {
    Id id{};
    uint64_t size = 0, used = 0, unused = 0;
  };
  std::vector<Pack> keep{}, repack{}, mark{}, remove{}, revive{};
  uint64_t unused_after = 0;
};
Result<PrunePlan> plan_prune(Indexed& index, const PruneOptions& options);
/// Carries out exactly that plan; refuses if the repository changed in a way that it does not allow.
Result<void> prune(Indexed& index, const PrunePlan& plan, const PruneOptions& options,
                   const std::function<void(uint64_t done, uint64_t all)>& progress,
                   std::stop_token stop);

/// Reads the headers of all packs, or of those no index knows, and writes the index anew.
Result<void> repair_index(Opened& repository, bool read_all_packs);
/// Snapshots without the parts that are gone; the damaged ones are removed only if asked.
Result<std::vector<Id>> repair_snapshots(Indexed& index, bool forget_damaged, bool dry_run);

}  // namespace holdfast::repo
