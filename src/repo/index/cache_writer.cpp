#include "index/cache_writer.h"

#include "hash/sha256.h"

#include <algorithm>
#include <queue>

namespace holdfast::repo {
namespace {

template <class T>
std::string_view raw(std::span<const T> items) {
  return {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
}

/// Entries of each run that are in memory.
constexpr size_t kFetched = 2048;

Result<MappedIndex> verified(MappedFile file, const CacheOwner& owner) {
  file.expect_order(true);
  CachedIndex index = HF_TRY(CachedIndex::open(
      file.bytes(), owner, [&file](uint64_t offset, uint64_t size) { file.forget(offset, size); }));
  file.expect_order(false);
  return MappedIndex{std::move(file), index};
}

}  // namespace

Result<MappedIndex> MappedIndex::open(const std::string& path, const CacheOwner& owner) {
  MappedFile file = HF_TRY(MappedFile::open(path));
  return verified(std::move(file), owner);
}

Result<CacheWriter> CacheWriter::create(const std::string& folder, const std::string& path,
                                        const CacheOwner& owner) {
  NewFile file = HF_TRY(NewFile::create(folder, path));
  NewFile runs = HF_TRY(NewFile::create(folder, ""));
  HF_TRY(file.append(std::string(kCacheHead, '\0')));
  return CacheWriter(std::move(file), std::move(runs), owner);
}

Result<void> CacheWriter::keep(const MappedIndex& older, const std::set<Id>& files) {
  older_ = &older;
  older.file.expect_order(true);
  std::span<const Id> packs = older.index.packs();
  for (const CacheRow& row : older.index.rows()) {
    const std::span<const Id> of_row = packs.first(row.packs);
    packs = packs.subspan(row.packs);
    const bool stays = files.contains(row.file);
    for (uint64_t i = 0; i < row.packs; ++i)
      older_numbers_.push_back(stays ? uint32_t(counts_.packs + i) : kGone);
    if (!stays) continue;
    rows_.push_back(row);
    HF_TRY(add_packs(of_row));
  }
  return ok();
}

Result<void> CacheWriter::add_packs(std::span<const Id> packs) {
  counts_.packs += packs.size();
  return append(raw(packs));
}

Result<void> CacheWriter::add(bool marked, const IndexTable& table,
                              std::span<const CacheRow> rows) {
  const auto first = uint32_t(counts_.packs);
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  HF_TRY(add_packs(table.packs()));
  std::vector<Entry> run;
  for (const BlobType type : {BlobType::Data, BlobType::Tree}) {
    const std::span<const Entry> entries = table.section(type).entries;
    spilled_.push_back({cache_section(marked, type), spilled_bytes_, entries.size()});
    spilled_bytes_ += entries.size_bytes();
    for (size_t at = 0; at < entries.size(); at += run.size()) {
      const auto some = entries.subspan(at, std::min(kFetched, entries.size() - at));
      run.assign(some.begin(), some.end());
      for (Entry& entry : run) entry.pack += first;
      HF_TRY(runs_.append(raw(std::span<const Entry>(run))));
    }
  }
  return ok();
}

Result<bool> CacheWriter::Run::advance() {
  if (fetched.empty()) fetched = HF_TRY(fetch());
  if (fetched.empty()) return false;
  head = fetched.front();
  fetched = fetched.subspan(1);
  return true;
}

/// Those of packs that are still told of, with their new numbers.
CacheWriter::Run CacheWriter::of_older(size_t section) const {
  struct State {
    std::span<const Entry> left;
    std::vector<Entry> kept;
  };
  const auto state = std::make_shared<State>(State{older_->index.entries(section), {}});
  return {[this, state]() -> Result<std::span<const Entry>> {
    state->kept.clear();
    while (state->kept.empty() && !state->left.empty()) {
      const auto some = state->left.first(std::min(kFetched, state->left.size()));
      state->left = state->left.subspan(some.size());
      for (Entry entry : some) {
        entry.pack = entry.pack < older_numbers_.size() ? older_numbers_[entry.pack] : kGone;
        if (entry.pack != kGone) state->kept.push_back(entry);
      }
      const auto* from = reinterpret_cast<const char*>(some.data());
      older_->file.forget(uint64_t(from - older_->file.bytes().data()), some.size_bytes());
    }
    return std::span<const Entry>(state->kept);
  }};
}

CacheWriter::Run CacheWriter::of_spilled(const Spilled& spilled) const {
  struct State {
    Spilled left;
    std::vector<Entry> read;
  };
  const auto state = std::make_shared<State>(State{spilled, {}});
  return {[this, state]() -> Result<std::span<const Entry>> {
    Spilled& left = state->left;
    state->read.resize(std::min<size_t>(kFetched, left.count));
    const size_t size = state->read.size() * sizeof(Entry);
    HF_TRY(runs_.read_at(left.offset, reinterpret_cast<char*>(state->read.data()), size));
    left.offset += size;
    left.count -= state->read.size();
    return std::span<const Entry>(state->read);
  }};
}

Result<void> CacheWriter::merge(size_t section) {
  std::vector<Run> runs;
  if (older_ != nullptr) runs.push_back(of_older(section));
  for (const Spilled& spilled : spilled_)
    if (spilled.section == section) runs.push_back(of_spilled(spilled));
  const auto later = [&runs](size_t a, size_t b) { return runs[b].head < runs[a].head; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> next(later);
  for (size_t i = 0; i < runs.size(); ++i) {
    const bool any = HF_TRY(runs[i].advance());
    if (any) next.push(i);
  }
  uint64_t& count = counts_.entries[section];
  while (!next.empty()) {
    const size_t run = next.top();
    next.pop();
    if (count++ % IndexTable::kFenceEvery == 0)
      fences_[section].push_back(IndexTable::beginning(runs[run].head.id));
    tags_.push_back(IndexTable::tag(runs[run].head.id));
    HF_TRY(append(raw(std::span<const Entry>(&runs[run].head, 1))));
    const bool more = HF_TRY(runs[run].advance());
    if (more) next.push(run);
  }
  return ok();
}

Result<void> CacheWriter::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() < 2 * kCacheChunk) return ok();
  return flush(false);
}

/// In whole chunks, unless it is the end.
Result<void> CacheWriter::flush(bool all) {
  std::string_view left = buffer_;
  while (left.size() >= 2 * kCacheChunk || (all && !left.empty())) {
    const std::string_view chunks[] = {
        left.substr(0, kCacheChunk),
        left.size() > kCacheChunk ? left.substr(kCacheChunk, kCacheChunk) : std::string_view()};
    const size_t count = chunks[1].empty() ? 1 : 2;
    Id found[2];
    hash_all({chunks, count}, {found, count});
    for (size_t i = 0; i < count; ++i) digests_ += found[i].raw();
    left.remove_prefix(chunks[0].size() + chunks[1].size());
  }
  HF_TRY(file_.append(std::string_view(buffer_).substr(0, buffer_.size() - left.size())));
  buffer_.erase(0, buffer_.size() - left.size());
  return ok();
}

Result<MappedIndex> CacheWriter::finish(bool publish) {
  uint64_t most = 0;
  for (const Spilled& spilled : spilled_) most += spilled.count;
  for (size_t i = 0; older_ != nullptr && i < kCacheSections; ++i)
    most += older_->index.entries(i).size();
  tags_.reserve(most);
  for (size_t section = 0; section < kCacheSections; ++section) HF_TRY(merge(section));
  for (const std::vector<uint64_t>& fences : fences_)
    HF_TRY(append(raw(std::span<const uint64_t>(fences))));
  HF_TRY(append(raw(std::span<const CacheRow>(rows_))));
  HF_TRY(append(raw(std::span<const uint16_t>(tags_))));
  HF_TRY(flush(true));
  HF_TRY(file_.append(digests_));
  counts_.rows = rows_.size();
  HF_TRY(file_.write_at(0, cache_head(owner_, counts_, digests_)));
  MappedFile mapped = HF_TRY(file_.map());
  if (publish) HF_TRY(file_.publish());
  return verified(std::move(mapped), owner_);
}

}  // namespace holdfast::repo
