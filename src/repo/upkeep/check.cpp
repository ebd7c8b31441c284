// Structure: small files, packs by name and size, trees.
#include <holdfast/repo/lock.h>

#include "open/key_file.h"
#include "upkeep/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {

Checker::Checker(KeyedRepository& repository, const CheckOptions& options,
                 const std::function<void(const CheckProgress&)>& progress,
                 const std::stop_token& stop)
    : repository_(repository), options_(options), progress_(progress), stop_(stop) {
  if (!options.record.empty()) record_ = read_check_record(options.record, repository.config().id);
}

void Checker::damage(std::string place, std::string what, bool hint) {
  const Lock lock(mutex_);
  result_.damages.push_back({std::move(place), std::move(what), hint});
}

Result<void> Checker::check_keys() {
  const std::vector<Id> keys = HF_TRY(repository_.list(FileType::Key));
  if (keys.empty()) damage("keys", "there is none left");
  for (const Id& id : keys) {
    const Result<std::string> json = repository_.load(FileType::Key, id);
    Result<void> good = json ? ok() : json.error().copy();
    if (json) {
      Result<KeyFile> key = parse_key_file(*json);
      if (!key) good = key.take_error();
    }
    if (!good) damage(fmt::format("key {}", id.hex()), good.error().what());
  }
  return ok();
}

Result<void> Checker::check_small_files() {
  const Result<std::string> config = repository_.load(FileType::Config, Id());
  if (!config)
    damage("config", config.error().what());
  else if (!repository_.config().text.empty() && *config != repository_.config().text)
    damage("config", "it is not what it was when the repository was opened");
  HF_TRY(check_keys());
  // Snapshots before indexes: a snapshot comes after the index of what it needs.
  snapshots_ = HF_TRY(list_snapshots(repository_, {}, [this](const Id& id, const Error& error) {
    damage(fmt::format("snapshot {}", id.hex()), error.what());
  }));
  survey_ = HF_TRY(survey(repository_, options_.scratch, progress_, stop_));
  contents_ = std::make_unique<PackContents>(survey_);
  const Lock lock(mutex_);
  for (Damage& found : survey_.damages) result_.damages.push_back(std::move(found));
  result_.snapshots = snapshots_.size();
  result_.indexes = survey_.files.size();
  result_.blobs = survey_.index->blobs(BlobType::Data) + survey_.index->blobs(BlobType::Tree);
  return ok();
}

void Checker::bad_copy(BlobType type, const Id& id, const std::string& what) {
  BadCopies& bad = bad_[id];
  bad.type = type;
  bad.what = what;
  ++bad.count;
}

void Checker::missing_pack(uint32_t pack, const std::string& what) {
  damage(fmt::format("pack {}", survey_.pack_id(pack).hex()), what);
  const Lock lock(mutex_);
  for (const PackedBlob& blob : contents_->blobs(pack)) bad_copy(blob.type, blob.id, what);
}

Result<void> Checker::check_packs() {
  stored_ = HF_TRY(list_packs(repository_, [this](const std::string& name) {
    damage(name, "a pack of that name belongs elsewhere", true);
  }));
  std::vector<Id> known;
  for (uint32_t pack = 0; pack < survey_.packs.size(); ++pack) {
    const Id& id = survey_.pack_id(pack);
    known.push_back(id);
    const StoredPack* there = find_pack(stored_, id);
    // restic's prune takes marked packs away and leaves what is said of them.
    if (there == nullptr && !survey_.packs[pack].marked_at.empty()) continue;
    if (there == nullptr)
      missing_pack(pack, "it is not there");
    else if (!survey_.packs[pack].fits(there->size))
      damage(fmt::format("pack {}", id.hex()), fmt::format("it has {} bytes, by the index {}",
                                                           there->size, survey_.packs[pack].size));
  }
  std::sort(known.begin(), known.end());
  for (const StoredPack& pack : stored_)
    if (!std::binary_search(known.begin(), known.end(), pack.id))
      damage(fmt::format("pack {}", pack.id.hex()), "it is in no index; prune removes it", true);
  progress_({CheckProgress::Stage::Packs, stored_.size(), stored_.size()});
  const Lock lock(mutex_);
  result_.packs = uint64_t(std::count_if(survey_.packs.begin(), survey_.packs.end(),
                                         [](const auto& pack) { return pack.marked_at.empty(); }));
  return ok();
}

void Checker::check_marked(const BlobSet& used) {
  std::vector<bool> needed(survey_.packs.size());
  for (const BlobType type : {BlobType::Data, BlobType::Tree})
    for (size_t at = 0; at < survey_.table().blobs(type); ++at)
      if (used.has(type, at)) needed[survey_.table().pack_at(type, at)] = true;
  for (uint32_t pack = 0; pack < survey_.packs.size(); ++pack) {
    if (!needed[pack] || survey_.packs[pack].marked_at.empty()) continue;
    const bool there = find_pack(stored_, survey_.pack_id(pack)) != nullptr;
    if (there)
      damage(fmt::format("pack {}", survey_.pack_id(pack).hex()),
             "it is needed, and marked for deletion; the next prune takes it back", true);
    else
      missing_pack(pack, "it is not there");
  }
}

Result<void> Checker::check_trees() {
  std::vector<Id> roots;
  for (const Snapshot& snapshot : snapshots_) roots.push_back(snapshot.tree);
  const auto progress = [this](uint64_t trees) {
    progress_({CheckProgress::Stage::Trees, trees, survey_.index->blobs(BlobType::Tree)});
  };
  const Reach reached = HF_TRY(reach(*survey_.index, roots, options_.threads, progress, stop_));
  check_marked(reached.used);
  for (const TreeTrouble& trouble : reached.troubles) {
    std::string place = fmt::format("tree {}", trouble.tree.hex());
    if (!trouble.node.empty()) place += fmt::format(", \"{}\"", trouble.node);
    damage(std::move(place), trouble.what);
    if (trouble.node.empty()) bad_things_.trees.emplace(trouble.tree, trouble.what);
  }
  const Lock lock(mutex_);
  result_.trees = reached.used.count(BlobType::Tree);
  tree_troubles_ = !reached.troubles.empty();
  return ok();
}

void Checker::find_affected() {
  const Lock lock(mutex_);
  if (bad_.empty() && !tree_troubles_) return;
  for (const auto& [id, bad] : bad_) {
    uint64_t copies = 0;
    const std::optional<size_t> first = survey_.table().position(bad.type, id);
    for (size_t at = first.value_or(0);
         first && at < survey_.table().blobs(bad.type) && survey_.table().id_at(bad.type, at) == id;
         ++at)
      ++copies;
    if (!first || bad.count < copies) continue;
    (bad.type == BlobType::Tree ? bad_things_.trees : bad_things_.blobs).emplace(id, bad.what);
  }
  AffectedSearch search(*survey_.index, bad_things_, result_);
  for (const Snapshot& snapshot : snapshots_) search.search(snapshot);
}

CheckResult Checker::take() {
  remember();
  const Lock lock(mutex_);
  return std::move(result_);
}

bool CheckResult::good() const {
  return std::all_of(damages.begin(), damages.end(),
                     [](const Damage& found) { return found.hint; });
}

Result<CheckResult> check(Opened& repository, const CheckOptions& options,
                          const std::function<void(const CheckProgress&)>& progress,
                          const std::stop_token& stop) {
  Checker checker(static_cast<KeyedRepository&>(repository), options, progress, stop);
  HF_TRY(checker.check_small_files());
  HF_TRY(checker.check_packs());
  HF_TRY(checker.check_trees());
  HF_TRY(checker.check_data());
  checker.find_affected();
  return checker.take();
}

}  // namespace holdfast::repo
