/// Prune: removal of data that no snapshot needs.
///
/// In two phases, beside writers: what is not needed leaves the index and is marked in it with the
/// time (rustic's packs_to_delete); a later prune deletes what was marked long enough ago, and
/// takes back what a snapshot needs again. Or at once, under an exclusive lock, as restic does.
///
/// Effects come in this order, so that whoever is killed leaves a whole repository behind: new
/// packs, new index files, removal of old index files, removal of packs.
#pragma once

#include <holdfast/repo/lock.h>
#include <holdfast/repo/snapshot.h>

namespace holdfast::repo {

struct PruneOptions {
  /// Of what stays: "5%", "10G", "0", "unlimited". Packs are copied together until it holds.
  std::string max_unused = "5%";
  uint64_t max_repack_bytes = 0;       ///< 0 = as many as needed
  bool repack_cacheable_only = false;  ///< trees only
  bool repack_small = false, repack_uncompressed = false;
  uint64_t pack_size = uint64_t{16} << 20;
  std::chrono::seconds keep_delete = std::chrono::hours(23);  ///< marked packs wait so long
  /// Deletes at once. The lock must be exclusive.
  bool instant = false;
  int threads = 2;
  Scratch scratch{};
  /// How long to wait for the locks of others before the index is changed.
  std::chrono::seconds retry_for{0};
  Sleep sleep = sleep_until_stopped();
};

struct PrunePlan {
  struct Pack {
    Id id{};
    uint64_t size = 0, used = 0, unused = 0;  ///< bytes; of blobs stored twice, one is unused
  };
  std::vector<Pack> repack{};   ///< what is needed of them is copied, then they go
  std::vector<Pack> drop{};     ///< nothing of them is needed
  std::vector<Pack> orphans{};  ///< in no index
  std::vector<Pack> due{};      ///< marked long enough ago: deleted
  std::vector<Pack> waiting{};  ///< marked, not yet long enough
  std::vector<Pack> revive{};   ///< marked, and needed again
  uint64_t packs_kept = 0;      ///< stay as they are
  uint64_t used = 0, unused = 0, unused_after = 0;  ///< bytes in packs that are in use
  bool empty() const;                               ///< nothing would change
};

struct PruneProgress {
  enum class Stage { Index, Trees, Repack, Delete } stage = Stage::Index;
  uint64_t done = 0, all = 0;
};

struct PruneResult {
  uint64_t packs_written = 0, bytes_written = 0, packs_marked = 0, packs_deleted = 0;
  uint64_t bytes_deleted = 0;
  /// Taken back because a snapshot that came meanwhile needs them, or because others went on
  /// writing for longer than we waited.
  uint64_t packs_revived = 0;
};

/// What will be done, and who does exactly that. The repository must outlive it.
class PlannedPrune {
 public:
  virtual ~PlannedPrune() = default;
  virtual const PrunePlan& plan() const = 0;
  /// Conflict if others hold locks for longer than we wait, or ours is lost; nothing that anybody
  /// needs is gone then. Once only.
  virtual Result<PruneResult> carry_out(HeldLock& lock,
                                        const std::function<void(const PruneProgress&)>& progress,
                                        const std::stop_token& stop) = 0;
};

/// Changes nothing. Corrupt if a snapshot or a tree is damaged, or lacks something: what is needed
/// is not known then.
Result<std::unique_ptr<PlannedPrune>> plan_prune(
    Opened& repository, const PruneOptions& options,
    const std::function<void(const PruneProgress&)>& progress, const std::stop_token& stop);

}  // namespace holdfast::repo
