// Repair of the index: every pack says in its header what it holds, so an index can always be made
// anew.
#include <holdfast/repo/repair.h>

#include "index/index_writer.h"
#include "open/removal.h"
#include "upkeep/pack_header_reader.h"
#include "upkeep/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace holdfast::repo {
namespace {

class IndexRepair {
 public:
  IndexRepair(KeyedRepository& repository, const RepairIndexOptions& options)
      : repository_(repository), options_(options) {}

  Result<RepairIndexResult> run(const std::function<void(uint64_t, uint64_t)>& progress,
                                const std::stop_token& stop) {
    survey_ = HF_TRY(survey(
        repository_, {}, [](const CheckProgress&) {}, stop));
    old_ = HF_TRY(repository_.list(FileType::Index));
    stored_ = HF_TRY(list_packs(repository_, [](const std::string&) {}));
    sort_out();
    HF_TRY(read_headers(progress, stop));
    result_.packs = believed_.size() + read_.size();
    result_.changed = !to_read_.empty() || result_.packs_missing > 0 || twice_;
    for (const Damage& found : survey_.damages) {
      if (found.hint || !found.place.starts_with("index ")) continue;
      result_.damaged_indexes.push_back(fmt::format("{}: {}", found.place, found.what));
      result_.changed = true;
    }
    if (result_.changed && !options_.dry_run) HF_TRY(write());
    return std::move(result_);
  }

 private:
  /// What the index says is believed if the pack is there, of the right size, and said of once.
  void sort_out() {
    std::vector<bool> said(stored_.size());
    for (uint32_t pack = 0; pack < survey_.packs.size(); ++pack) {
      const StoredPack* there = find_pack(stored_, survey_.pack_id(pack));
      if (there == nullptr) {
        ++result_.packs_missing;
        continue;
      }
      const size_t at = size_t(there - stored_.data());
      const bool again = said[at];
      said[at] = true;
      if (again)
        doubtful(at);
      else if (options_.read_all_packs || !survey_.packs[pack].fits(there->size))
        to_read_.push_back(at);
      else
        believed_.push_back(pack);
    }
    for (size_t at = 0; at < stored_.size(); ++at)
      if (!said[at]) to_read_.push_back(at);
    for (const SurveyedFile& file : survey_.files) listed_ += file.packs.size();
    twice_ = listed_ > survey_.packs.size();
    if (!options_.read_all_packs) result_.packs_added = to_read_.size();
  }

  /// Two indexes say different things of it: the pack itself is asked.
  void doubtful(size_t at) {
    std::erase_if(believed_, [&](uint32_t p) { return survey_.pack_id(p) == stored_[at].id; });
    if (std::find(to_read_.begin(), to_read_.end(), at) == to_read_.end()) to_read_.push_back(at);
  }

  Result<void> read_headers(const std::function<void(uint64_t, uint64_t)>& progress,
                            const std::stop_token& stop) {
    std::atomic<size_t> next{0};
    Mutex mutex;
    std::optional<Error> failed;
    const auto work = [&] {
      for (size_t i = next++; i < to_read_.size() && !stop.stop_requested(); i = next++) {
        const StoredPack& pack = stored_[to_read_[i]];
        Result<std::vector<PackedBlob>> blobs = read_pack_header(repository_, pack.id, pack.size);
        const Lock lock(mutex);
        if (blobs)
          read_.push_back({pack.id, blobs.take(), ""});
        else if (blobs.error().fault() == Fault::Corrupt)
          result_.unreadable.emplace_back(pack.id, blobs.error().what());
        else if (!failed)
          failed = blobs.take_error();
        progress(read_.size() + result_.unreadable.size(), to_read_.size());
      }
    };
    {
      std::vector<std::jthread> helpers;
      for (int i = 1; i < options_.threads; ++i) helpers.emplace_back(work);
      work();
    }
    if (failed) return std::move(*failed);
    if (stop.stop_requested()) return Error(Fault::Unavailable, "stopped");
    return ok();
  }

  Result<void> write() {
    HF_TRY(may_remove(repository_));
    const PackContents contents(survey_);
    IndexWriter writer(repository_);
    for (IndexedPack& pack : read_) HF_TRY(writer.add(std::move(pack)));
    for (const uint32_t pack : believed_)
      HF_TRY(writer.add({survey_.pack_id(pack), contents.blobs(pack), survey_.packs[pack].marked_at,
                         survey_.packs[pack].blobs == 0 ? survey_.packs[pack].size : 0}));
    HF_TRY(writer.finish());
    return remove_all(repository_, FileType::Index, old_);
  }

  KeyedRepository& repository_;
  const RepairIndexOptions& options_;
  Survey survey_;
  std::vector<Id> old_;
  std::vector<StoredPack> stored_;
  std::vector<uint32_t> believed_;
  std::vector<size_t> to_read_;  ///< within stored_
  std::vector<IndexedPack> read_;
  size_t listed_ = 0;
  bool twice_ = false;
  RepairIndexResult result_;
};

}  // namespace

Result<RepairIndexResult> repair_index(Opened& repository, const RepairIndexOptions& options,
                                       const std::function<void(uint64_t, uint64_t)>& progress,
                                       const std::stop_token& stop) {
  return IndexRepair(static_cast<KeyedRepository&>(repository), options).run(progress, stop);
}

}  // namespace holdfast::repo
