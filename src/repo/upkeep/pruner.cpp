// Execution of a prune's plan. Others may write meanwhile; restic's writers and ours are known by
// their locks, and whoever takes a lock after the new index is there finds only what stays.
#include "upkeep/pruner.h"

#include "codec/go_json.h"
#include "index/index_writer.h"
#include "open/removal.h"
#include "upkeep/pack_header_reader.h"
#include "upkeep/repack.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLookAgain = 5s;

}  // namespace

Result<PruneResult> Pruner::carry_out(HeldLock& lock,
                                      const std::function<void(const PruneProgress&)>& progress,
                                      const std::stop_token& stop) {
  if (options_.instant && !lock.exclusive())
    return Error(Fault::Invalid, "delete at once: that needs an exclusive lock");
  HF_TRY(may_remove(repository_));
  now_ = time_text(repository_.surroundings().clock.now());
  if (plan_.empty()) return result_;
  if (!options_.instant) HF_TRY(wait_for_others(lock, stop));
  HF_TRY(repack_all(progress, stop));
  if (!options_.instant) {
    HF_TRY(wait_for_others(lock, stop));
    HF_TRY(spare_what_new_snapshots_need(stop));
  }
  HF_TRY(rewrite_index(lock));
  if (!options_.instant) HF_TRY(settle(lock, stop));
  if (!lock.good()) return Error(Fault::Conflict, "delete packs: the lock is lost");
  HF_TRY(remove_packs(progress));
  return result_;
}

Result<std::optional<LockInfo>> Pruner::other_lock(HeldLock& lock) {
  const Id before = lock.id();
  std::optional<Id> unreadable;
  const std::vector<LockInfo> locks = HF_TRY(
      list_locks(repository_, {}, [&unreadable](const Id& id, const Error&) { unreadable = id; }));
  const Id after = lock.id();
  for (const LockInfo& other : locks)
    if (other.id != before && other.id != after && !other.stale) return std::optional(other);
  if (unreadable) return std::optional(LockInfo{.id = *unreadable, .host = "a host not known"});
  return std::optional<LockInfo>();
}

Result<void> Pruner::wait_for_others(HeldLock& lock, const std::stop_token& stop) {
  const Clock& clock = repository_.surroundings().clock;
  const MonoTime end = clock.mono() + options_.retry_for;
  for (;;) {
    if (!lock.good()) return Error(Fault::Conflict, "prune: the lock is lost");
    const std::optional<LockInfo> other = HF_TRY(other_lock(lock));
    if (!other) return ok();
    if (clock.mono() >= end || stop.stop_requested())
      return Error(Fault::Conflict,
                   fmt::format("change the index: process {} on {} works with {} since {}",
                               other->pid, other->host, repository_.store().text(),
                               time_text(other->time)))
          .with_hint("prune when it is done, or wait for it with --retry-lock");
    options_.sleep(kLookAgain, stop);
  }
}

Result<void> Pruner::repack_all(const std::function<void(const PruneProgress&)>& progress,
                                const std::stop_token& stop) {
  std::vector<uint32_t> packs;
  for (uint32_t pack = 0; pack < fates_.size(); ++pack)
    if (fates_[pack] == PackFate::Repack) packs.push_back(pack);
  return repack(
      *survey_.index, *contents_, packs,
      [this](BlobType type, size_t position) { return wanted_->has(type, position); },
      {.pack_size = options_.pack_size,
       .compress = options_.repack_uncompressed,
       .threads = options_.threads},
      [this](const IndexedPack& pack) {
        const Lock lock(mutex_);
        fresh_.push_back(pack);
        ++result_.packs_written;
        for (const PackedBlob& blob : pack.blobs) result_.bytes_written += blob.length;
      },
      [&](uint64_t done) {
        progress({PruneProgress::Stage::Repack, done, packs.size()});
      },
      stop);
}

/// Packs of ours that snapshots need which came since we looked, and that are not to stay.
Result<std::vector<uint32_t>> Pruner::needed_by_new_snapshots(const std::stop_token& stop) {
  std::vector<Id> roots;
  const std::vector<Snapshot> all =
      HF_TRY(list_snapshots(repository_, {}, [](const Id&, const Error&) {}));
  for (const Snapshot& snapshot : all)
    if (snapshots_.insert(snapshot.id).second) roots.push_back(snapshot.tree);
  std::vector<uint32_t> needed;
  if (roots.empty()) return needed;
  const Survey fresh = HF_TRY(survey(
      repository_, options_.scratch, [](const CheckProgress&) {}, stop));
  const Reach reached = HF_TRY(reach(
      *fresh.index, roots, options_.threads, [](uint64_t) {}, stop));
  const IndexTable& table = survey_.table();
  std::set<uint32_t> packs;
  for (const BlobType type : {BlobType::Data, BlobType::Tree})
    for (size_t at = 0; at < fresh.table().blobs(type); ++at) {
      if (!reached.used.has(type, at)) continue;
      const Id& id = fresh.table().id_at(type, at);
      const std::optional<size_t> first = table.position(type, id);
      bool stays = !first;
      for (size_t i = first.value_or(0); first && i < table.blobs(type); ++i) {
        if (table.id_at(type, i) != id) break;
        stays = stays || wanted_->has(type, i) || !changes(table.pack_at(type, i));
      }
      if (!stays) packs.insert(table.pack_at(type, *first));
    }
  needed.assign(packs.begin(), packs.end());
  return needed;
}

Result<void> Pruner::spare_what_new_snapshots_need(const std::stop_token& stop) {
  const std::vector<uint32_t> needed = HF_TRY(needed_by_new_snapshots(stop));
  for (const uint32_t pack : needed) {
    fates_[pack] = survey_.packs[pack].marked_at.empty() ? PackFate::Keep : PackFate::Revive;
    ++result_.packs_revived;
  }
  return ok();
}

bool Pruner::changes(uint32_t pack) const {
  return fates_[pack] != PackFate::Keep && fates_[pack] != PackFate::Waiting;
}

/// What the new index says of a pack; nothing if it is no longer to be spoken of.
std::optional<IndexedPack> Pruner::entry_of(uint32_t pack) const {
  const SurveyedPack& surveyed = survey_.packs[pack];
  IndexedPack entry{survey_.pack_id(pack), contents_->blobs(pack), surveyed.marked_at,
                    surveyed.blobs == 0 ? surveyed.size : 0};
  switch (fates_[pack]) {
    case PackFate::Due:
      return {};
    case PackFate::Repack:
    case PackFate::Drop:
      if (options_.instant || !is_stored(pack)) return {};
      entry.marked_at = now_;
      return entry;
    case PackFate::Revive:
    case PackFate::Keep:
      entry.marked_at.clear();
      return entry;
    case PackFate::Waiting:
      return entry;
  }
  return entry;
}

IndexedPack Pruner::entry_of_orphan(const StoredPack& orphan) {
  // A pack whose header cannot be read is nobody's, and waits like the others.
  Result<std::vector<PackedBlob>> blobs = read_pack_header(repository_, orphan.id, orphan.size);
  if (blobs) return {orphan.id, blobs.take(), now_};
  return {orphan.id, {}, now_, orphan.size};
}

Result<void> Pruner::rewrite_index(HeldLock& lock) {
  if (!lock.good()) return Error(Fault::Conflict, "change the index: the lock is lost");
  IndexWriter writer(repository_);
  {
    const Lock held(mutex_);
    for (IndexedPack& pack : fresh_) HF_TRY(writer.add(std::move(pack)));
  }
  std::vector<Id> old;
  std::set<uint32_t> written;
  for (const SurveyedFile& file : survey_.files) {
    const auto changed = [this](uint32_t pack) { return changes(pack); };
    if (std::none_of(file.packs.begin(), file.packs.end(), changed)) continue;
    old.push_back(file.id);
    for (const uint32_t pack : file.packs) {
      if (!written.insert(pack).second) continue;
      std::optional<IndexedPack> entry = entry_of(pack);
      if (!entry) continue;
      if (changes(pack) && !entry->marked_at.empty()) ++result_.packs_marked;
      HF_TRY(writer.add(std::move(*entry)));
    }
  }
  if (!options_.instant)
    for (const StoredPack& orphan : orphans_) {
      HF_TRY(writer.add(entry_of_orphan(orphan)));
      ++result_.packs_marked;
    }
  HF_TRY(writer.finish());
  // The same words sealed anew never give the same name; but what was written must not be removed.
  return remove_all(repository_, FileType::Index, old);
}

/// Whoever had read the old index before it went may still finish a snapshot that needs what we
/// marked. They are waited for; what they need, or might need, is taken back.
Result<void> Pruner::settle(HeldLock& lock, const std::stop_token& stop) {
  const Clock& clock = repository_.surroundings().clock;
  const MonoTime end = clock.mono() + options_.retry_for;
  std::set<uint32_t> back;
  for (;;) {
    // Locks before snapshots: who gives back a lock has written its snapshot before.
    const std::optional<LockInfo> other = HF_TRY(other_lock(lock));
    const std::vector<uint32_t> needed = HF_TRY(needed_by_new_snapshots(stop));
    back.insert(needed.begin(), needed.end());
    if (!other) break;
    if (clock.mono() >= end || stop.stop_requested()) {
      for (uint32_t pack = 0; pack < fates_.size(); ++pack)
        if (fates_[pack] == PackFate::Drop || fates_[pack] == PackFate::Repack) back.insert(pack);
      break;
    }
    options_.sleep(kLookAgain, stop);
  }
  return revive(back);
}

Result<void> Pruner::revive(const std::set<uint32_t>& packs) {
  IndexWriter writer(repository_);
  for (const uint32_t pack : packs) {
    if (!is_stored(pack)) continue;
    if (fates_[pack] != PackFate::Due) --result_.packs_marked;
    fates_[pack] = PackFate::Revive;
    HF_TRY(writer.add({survey_.pack_id(pack), contents_->blobs(pack), ""}));
    ++result_.packs_revived;
  }
  // Still marked in the file just written; to be in use is the stronger word.
  return writer.finish();
}

Result<void> Pruner::remove_packs(const std::function<void(const PruneProgress&)>& progress) {
  std::vector<std::string> names;
  const auto remove = [&](const Id& id, uint64_t size) {
    names.push_back(place_of(FileType::Pack, id));
    result_.bytes_deleted += size;
  };
  for (uint32_t pack = 0; pack < fates_.size(); ++pack) {
    const bool gone = fates_[pack] == PackFate::Repack || fates_[pack] == PackFate::Drop;
    if (fates_[pack] == PackFate::Due || (options_.instant && gone))
      remove(survey_.pack_id(pack), survey_.packs[pack].size);
  }
  if (options_.instant)
    for (const StoredPack& orphan : orphans_) remove(orphan.id, orphan.size);
  for (size_t at = 0; at < names.size(); at += 1000) {
    const std::vector<std::string> part(names.begin() + int64_t(at),
                                        names.begin() + int64_t(std::min(names.size(), at + 1000)));
    // What stays is in no index, and is found by the next prune.
    Result<std::vector<std::string>> stayed = repository_.store().remove_all(part);
    if (!stayed) return stayed.take_error().with_context("delete packs");
    result_.packs_deleted += part.size() - stayed->size();
    progress({PruneProgress::Stage::Delete, at + part.size(), names.size()});
  }
  return ok();
}

}  // namespace holdfast::repo
