/// The stages of a check, and what they have found so far.
#pragma once

#include "files/check_record.h"
#include "trees/reach.h"
#include "upkeep/affected.h"
#include "upkeep/survey.h"
#include "upkeep/verify_pack.h"

#include <atomic>

namespace holdfast::repo {

class Checker {
 public:
  Checker(KeyedRepository& repository, const CheckOptions& options,
          const std::function<void(const CheckProgress&)>& progress, const std::stop_token& stop);

  /// In this order; each continues past damage.
  Result<void> check_small_files();
  Result<void> check_packs();
  Result<void> check_trees();
  Result<void> check_data();
  /// Names the files that all this concerns.
  void find_affected();
  CheckResult take();

 private:
  void damage(std::string place, std::string what, bool hint = false) HF_EXCLUDES(mutex_);
  Result<void> check_keys();
  void check_marked(const BlobSet& used);
  void missing_pack(uint32_t pack, const std::string& what);
  std::vector<uint32_t> choose_packs();
  void choose_by_chance(std::vector<uint32_t>& packs);
  Result<void> read_packs(const std::vector<uint32_t>& packs);
  Result<void> read_until_done(const std::vector<uint32_t>& packs);
  Result<void> read_pack(PackVerifier& verifier, uint32_t pack, std::string& bytes);
  void note(uint32_t pack, uint64_t bytes, PackVerdict verdict);
  void bad_copy(BlobType type, const Id& id, const std::string& what) HF_REQUIRES(mutex_);
  void remember();

  KeyedRepository& repository_;
  const CheckOptions& options_;
  const std::function<void(const CheckProgress&)>& progress_;
  const std::stop_token& stop_;
  std::vector<Snapshot> snapshots_;
  Survey survey_;
  std::unique_ptr<PackContents> contents_;
  std::vector<StoredPack> stored_;
  CheckRecord record_;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  CheckResult result_ HF_GUARDED_BY(mutex_);
  int failures_ HF_GUARDED_BY(mutex_) = 0;
  uint64_t bytes_all_ = 0;
  bool tree_troubles_ = false;
  struct BadCopies {
    BlobType type = BlobType::Data;
    uint64_t count = 0;
    std::string what{};
  };
  std::unordered_map<Id, BadCopies, IdHash> bad_ HF_GUARDED_BY(mutex_);
  BadThings bad_things_;
};

}  // namespace holdfast::repo
