// Loading of the index of a repository: into memory while it is small, otherwise into a local file
// that is mapped. The next time, what such a file says of index files that are still there need not
// be read again; what came since is in memory, beside it, until it is too much.
#include "index/cache_writer.h"
#include "index/indexed.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Blobs whose index files take longer to decode, a tenth of a second, than a cache to write.
constexpr size_t kWorthWriting = 50'000;

class Loader {
 public:
  Loader(KeyedRepository& repository, const IndexOptions& options)
      : repository_(repository),
        options_(options),
        owner_(cache_owner(repository.master_key(), repository.config().id)) {}

  Result<void> load() {
    for (bool again = true; again;) {
      again = false;
      const std::vector<Id> files = HF_TRY(repository_.list(FileType::Index));
      if (done_.empty()) HF_TRY(begin(files));
      for (const Id& file : files) {
        if (!done_.insert(file).second) continue;
        const bool there = HF_TRY(read(file));
        // Whoever removes an index file has written what takes its place before.
        again = again || !there;
        if (in_memory() > options_.most_in_memory) HF_TRY(spill());
      }
    }
    return finish();
  }
  IndexTables take() { return std::move(out_); }
  /// What went wrong was the cache, not the repository.
  bool cache_failed() const { return cache_failed_; }

 private:
  /// What was read and is in memory, in use or marked.
  struct Batch {
    IndexTable table;
    std::vector<CacheRow> rows;
  };

  std::string path() const { return (options_.cache / "index").string(); }

  Result<void> begin(const std::vector<Id>& files) {
    if (options_.cache.empty()) return ok();
    Result<MappedIndex> older = MappedIndex::open(path(), owner_);
    if (!older) return ok();
    older_ = std::make_unique<MappedIndex>(older.take());
    const std::set<Id> there(files.begin(), files.end());
    done_ = older_->index.files();
    const bool all_there = std::includes(there.begin(), there.end(), done_.begin(), done_.end());
    if (all_there) return ok();
    std::erase_if(done_, [&there](const Id& file) { return !there.contains(file); });
    return open_writer();
  }

  /// False if the file has gone since it was listed.
  Result<bool> read(const Id& file) {
    Result<std::string> json = repository_.load(FileType::Index, file);
    if (!json && json.error().fault() == Fault::NotFound) return false;
    uint64_t packs[2] = {0, 0};
    Result<void> parsed = json ? parse_index(*json,
                                             [&](const IndexedPack& pack) {
                                               const bool marked = !pack.marked_at.empty();
                                               batch_[marked].table.add(pack);
                                               ++packs[marked];
                                               return ok();
                                             })
                               : json.take_error();
    for (const bool marked : {false, true})
      if (packs[marked] > 0 || !marked) batch_[marked].rows.push_back({file, packs[marked]});
    if (parsed) return true;
    if (json) parsed = parsed.take_error().with_context(fmt::format("read index {}", file.hex()));
    if (parsed.error().fault() != Fault::Corrupt || !options_.damaged) return parsed.take_error();
    options_.damaged(file, parsed.error());
    damaged_ = true;
    return true;
  }

  Result<void> cached(Result<void> result) {
    cache_failed_ = cache_failed_ || !result;
    return result;
  }

  Result<void> open_writer() {
    return cached([this]() -> Result<void> {
      writer_ = std::make_unique<CacheWriter>(
          HF_TRY(CacheWriter::create(options_.cache.string(), path(), owner_)));
      if (older_) HF_TRY(writer_->keep(*older_, done_));
      return ok();
    }());
  }

  Result<void> spill() {
    if (options_.cache.empty()) return ok();
    if (!writer_) HF_TRY(open_writer());
    for (const bool marked : {false, true}) {
      batch_[marked].table.sort();
      HF_TRY(cached(writer_->add(marked, batch_[marked].table, batch_[marked].rows)));
      batch_[marked] = {};
    }
    return ok();
  }

  size_t in_memory() const { return batch_[0].table.size() + batch_[1].table.size(); }

  /// Not for a small part of what is cached: all of it would be copied.
  bool worth_writing() const {
    if (options_.cache.empty() || damaged_) return false;
    size_t cached_already = 0;
    for (size_t i = 0; older_ && i < kCacheSections; ++i)
      cached_already += older_->index.entries(i).size();
    const size_t least = std::min(kWorthWriting, options_.most_in_memory);
    return in_memory() > std::max(least, cached_already / 8);
  }

  Result<void> finish() {
    if (!writer_ && worth_writing()) HF_TRY(open_writer());
    if (writer_) {
      HF_TRY(spill());
      // What a damaged file said before it broke off must not be believed next time.
      Result<MappedIndex> written = writer_->finish(!damaged_);
      if (!written) return cached(written.take_error());
      older_ = std::make_unique<MappedIndex>(written.take());
      writer_.reset();
    }
    if (older_) {
      out_.used.push_back(older_->index.table(false));
      out_.marked.push_back(older_->index.table(true));
      out_.mapped = std::move(older_);
    }
    for (const bool marked : {false, true}) {
      batch_[marked].table.sort();
      (marked ? out_.marked : out_.used).push_back(std::move(batch_[marked].table));
    }
    return ok();
  }

  KeyedRepository& repository_;
  const IndexOptions& options_;
  const CacheOwner owner_;
  std::set<Id> done_;
  Batch batch_[2];
  std::unique_ptr<MappedIndex> older_;
  std::unique_ptr<CacheWriter> writer_;
  bool damaged_ = false, cache_failed_ = false;
  IndexTables out_;
};

Result<IndexTables> load_tables(KeyedRepository& repository, const IndexOptions& options) {
  Loader loader(repository, options);
  Result<void> loaded = loader.load();
  if (loaded) return loader.take();
  if (!loader.cache_failed()) return loaded.take_error();
  if (options.said)
    options.said(fmt::format("the index is held in memory: {}", loaded.error().what()));
  IndexOptions without = options;
  without.cache.clear();
  Loader in_memory(repository, without);
  HF_TRY(in_memory.load());
  return in_memory.take();
}

}  // namespace

Result<std::unique_ptr<Indexed>> load_index(std::unique_ptr<Opened>&& repository,
                                            const IndexOptions& options) {
  IndexTables tables = HF_TRY(load_tables(static_cast<KeyedRepository&>(*repository), options));
  std::unique_ptr<KeyedRepository> keyed(static_cast<KeyedRepository*>(repository.release()));
  return std::unique_ptr<Indexed>(
      std::make_unique<IndexedRepository>(std::move(keyed), std::move(tables)));
}

}  // namespace holdfast::repo
