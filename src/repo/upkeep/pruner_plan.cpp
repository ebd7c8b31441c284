// Planning of a prune: the blobs in use, their places, and the fate of each pack.
#include "codec/go_json.h"
#include "upkeep/pruner.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

Error damaged(std::string what) {
  return Error(Fault::Corrupt, std::move(what))
      .with_context("find out what is needed")
      .with_hint(
          "nothing was changed; see holdfast repo check, then repair index or repair "
          "snapshots");
}

PrunePlan::Pack told(const PackUse& pack) { return {pack.id, pack.size, pack.used, pack.unused}; }

}  // namespace

bool PrunePlan::empty() const {
  return repack.empty() && drop.empty() && orphans.empty() && due.empty() && revive.empty();
}

bool Pruner::is_stored(uint32_t pack) const {
  const StoredPack* there = find_pack(stored_, survey_.pack_id(pack));
  return there != nullptr && survey_.packs[pack].fits(there->size);
}

Result<std::vector<Id>> Pruner::read_snapshots() {
  std::optional<Error> bad;
  const std::vector<Snapshot> all =
      HF_TRY(list_snapshots(repository_, {}, [&bad](const Id&, const Error& error) {
        if (!bad) bad = damaged(error.what());
      }));
  if (bad) return std::move(*bad);
  std::vector<Id> roots;
  for (const Snapshot& snapshot : all) {
    snapshots_.insert(snapshot.id);
    roots.push_back(snapshot.tree);
  }
  return roots;
}

Result<void> Pruner::prepare(const std::function<void(const PruneProgress&)>& progress,
                             const std::stop_token& stop) {
  HF_TRY(unused_limit(options_.max_unused, 0));
  const std::vector<Id> roots = HF_TRY(read_snapshots());
  survey_ = HF_TRY(survey(
      repository_, options_.scratch,
      [&progress](const CheckProgress& at) {
        progress({PruneProgress::Stage::Index, at.done, at.all});
      },
      stop));
  for (const Damage& found : survey_.damages)
    if (!found.hint) return damaged(fmt::format("{}: {}", found.place, found.what));
  contents_ = std::make_unique<PackContents>(survey_);
  stored_ = HF_TRY(list_packs(repository_, [](const std::string&) {}));
  const Reach reached = HF_TRY(reach(
      *survey_.index, roots, options_.threads,
      [&](uint64_t trees) {
        progress({PruneProgress::Stage::Trees, trees, survey_.index->blobs(BlobType::Tree)});
      },
      stop));
  if (!reached.troubles.empty())
    return damaged(fmt::format("tree {}: {}", reached.troubles.front().tree.hex(),
                               reached.troubles.front().what));
  HF_TRY(choose_copies(reached.used));
  const std::vector<PackUse> packs = measure();
  fates_ = HF_TRY(decide(packs, options_, repository_.surroundings().clock.now()));
  describe(packs);
  return ok();
}

/// One copy of each needed blob: in a pack that is there, not marked if possible, and with as much
/// else in it that is needed as possible.
Result<void> Pruner::choose_copies(const BlobSet& used) {
  const IndexTable& table = survey_.table();
  wanted_ = std::make_unique<BlobSet>(table);
  std::vector<uint64_t> bytes(survey_.packs.size(), 0);
  for (const bool several : {false, true}) {
    for (const BlobType type : {BlobType::Data, BlobType::Tree}) {
      for (size_t at = 0, next = 0; at < table.blobs(type); at = next) {
        for (next = at + 1; next < table.blobs(type); ++next)
          if (table.id_at(type, next) != table.id_at(type, at)) break;
        if (used.has(type, at) && (next - at > 1) == several)
          HF_TRY(choose_copy(type, at, next - at, bytes));
      }
    }
  }
  return ok();
}

Result<void> Pruner::choose_copy(BlobType type, size_t first, size_t count,
                                 std::vector<uint64_t>& used) {
  const IndexTable& table = survey_.table();
  std::optional<size_t> best;
  const auto rank = [&](size_t at) {
    const uint32_t pack = table.pack_at(type, at);
    return std::pair(survey_.packs[pack].marked_at.empty(), used[pack]);
  };
  for (size_t at = first; at < first + count; ++at) {
    if (!is_stored(table.pack_at(type, at))) continue;
    if (!best || rank(at) > rank(*best)) best = at;
  }
  if (!best)
    return damaged(fmt::format("blob {} is needed, and pack {} is not there or not whole",
                               table.id_at(type, first).hex(),
                               survey_.pack_id(table.pack_at(type, first)).hex()));
  wanted_->insert(type, *best);
  used[table.pack_at(type, *best)] += table.location_at(type, *best).length;
  return ok();
}

std::vector<PackUse> Pruner::measure() const {
  const WallTime now = repository_.surroundings().clock.now();
  const IndexTable& table = survey_.table();
  const bool compresses = repository_.config().version >= 2;
  std::vector<PackUse> packs(survey_.packs.size());
  for (uint32_t i = 0; i < packs.size(); ++i) {
    const SurveyedPack& pack = survey_.packs[i];
    packs[i] = {.id = survey_.pack_id(i), .number = i, .size = pack.size, .trees = pack.trees};
    if (pack.marked_at.empty()) continue;
    const auto time = parse_time(pack.marked_at);
    // One that somebody else has deleted has nothing to wait for.
    packs[i].marked = !is_stored(i) ? WallTime() : time ? wall_time(*time) : now;
  }
  for (const BlobType type : {BlobType::Data, BlobType::Tree})
    for (size_t at = 0; at < table.blobs(type); ++at) {
      PackUse& pack = packs[table.pack_at(type, at)];
      const Location where = table.location_at(type, at);
      const bool wanted = wanted_->has(type, at);
      (wanted ? pack.used : pack.unused) += where.length;
      if (wanted && compresses && where.plain_length == 0 && where.length > kSealOverhead)
        pack.uncompressed = true;
    }
  return packs;
}

void Pruner::describe(const std::vector<PackUse>& packs) {
  for (const PackUse& pack : packs) {
    const PackFate fate = fates_[pack.number];
    if (fate == PackFate::Keep) ++plan_.packs_kept;
    if (fate == PackFate::Repack) plan_.repack.push_back(told(pack));
    if (fate == PackFate::Drop) plan_.drop.push_back(told(pack));
    if (fate == PackFate::Due) plan_.due.push_back(told(pack));
    if (fate == PackFate::Waiting) plan_.waiting.push_back(told(pack));
    if (fate == PackFate::Revive) plan_.revive.push_back(told(pack));
    if (pack.marked && fate != PackFate::Revive) continue;
    plan_.used += pack.used;
    plan_.unused += pack.unused;
    if (fate == PackFate::Keep || fate == PackFate::Revive) plan_.unused_after += pack.unused;
  }
  const std::span<const Id> packs_of_index = survey_.table().packs();
  std::vector<Id> known(packs_of_index.begin(), packs_of_index.end());
  std::sort(known.begin(), known.end());
  for (const StoredPack& pack : stored_) {
    if (std::binary_search(known.begin(), known.end(), pack.id)) continue;
    orphans_.push_back(pack);
    plan_.orphans.push_back({pack.id, pack.size, 0, pack.size});
  }
}

Result<std::unique_ptr<PlannedPrune>> plan_prune(
    Opened& repository, const PruneOptions& options,
    const std::function<void(const PruneProgress&)>& progress, const std::stop_token& stop) {
  auto pruner = std::make_unique<Pruner>(static_cast<KeyedRepository&>(repository), options);
  HF_TRY(pruner->prepare(progress, stop));
  return std::unique_ptr<PlannedPrune>(std::move(pruner));
}

}  // namespace holdfast::repo
