/// A prune from its plan to its end.
#pragma once

#include <holdfast/repo/prune.h>

#include "trees/reach.h"
#include "upkeep/prune_plan.h"
#include "upkeep/survey.h"

#include <set>

namespace holdfast::repo {

class Pruner final : public PlannedPrune {
 public:
  Pruner(KeyedRepository& repository, const PruneOptions& options)
      : repository_(repository), options_(options) {}

  Result<void> prepare(const std::function<void(const PruneProgress&)>& progress,
                       const std::stop_token& stop);
  const PrunePlan& plan() const override { return plan_; }
  Result<PruneResult> carry_out(HeldLock& lock,
                                const std::function<void(const PruneProgress&)>& progress,
                                const std::stop_token& stop) override;

 private:
  // The plan.
  Result<std::vector<Id>> read_snapshots();
  Result<void> choose_copies(const BlobSet& used);
  Result<void> choose_copy(BlobType type, size_t first, size_t count, std::vector<uint64_t>& used);
  std::vector<PackUse> measure() const;
  void describe(const std::vector<PackUse>& packs);
  bool is_stored(uint32_t pack) const;

  // Carrying it out.
  Result<void> repack_all(const std::function<void(const PruneProgress&)>& progress,
                          const std::stop_token& stop);
  Result<void> wait_for_others(HeldLock& lock, const std::stop_token& stop);
  Result<std::optional<LockInfo>> other_lock(HeldLock& lock);
  Result<void> spare_what_new_snapshots_need(const std::stop_token& stop);
  Result<std::vector<uint32_t>> needed_by_new_snapshots(const std::stop_token& stop);
  Result<void> rewrite_index(HeldLock& lock);
  bool changes(uint32_t pack) const;
  std::optional<IndexedPack> entry_of(uint32_t pack) const;
  IndexedPack entry_of_orphan(const StoredPack& orphan);
  Result<void> settle(HeldLock& lock, const std::stop_token& stop);
  Result<void> revive(const std::set<uint32_t>& packs);
  Result<void> remove_packs(const std::function<void(const PruneProgress&)>& progress);

  KeyedRepository& repository_;
  const PruneOptions options_;
  std::set<Id> snapshots_;  ///< whose needs are known
  Survey survey_;
  std::unique_ptr<PackContents> contents_;
  std::vector<StoredPack> stored_, orphans_;
  std::unique_ptr<BlobSet> wanted_;  ///< of each needed blob one copy
  std::vector<PackFate> fates_;
  PrunePlan plan_;
  std::string now_;
  Mutex mutex_;
  std::vector<IndexedPack> fresh_ HF_GUARDED_BY(mutex_);
  PruneResult result_;
};

}  // namespace holdfast::repo
