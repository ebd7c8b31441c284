/// A repository whose index is loaded, and what has been added to it since.
#pragma once

#include <holdfast/base/mutex.h>

#include "index/added.h"
#include "index/cache_writer.h"
#include "open/opened.h"
#include "pack/workshop.h"

namespace holdfast::repo {

/// All that index files say. Of several tables none is more right than the others.
struct IndexTables {
  std::unique_ptr<MappedIndex> mapped{};  ///< where some of the tables are
  std::vector<IndexTable> used{};
  /// Packs that wait for their deletion. What is only there can still be read, by who found it
  /// before; nobody may rely on it anew.
  std::vector<IndexTable> marked{};
};

class IndexedRepository final : public Indexed {
 public:
  IndexedRepository(std::unique_ptr<KeyedRepository> repository, IndexTables tables);
  /// Of a repository that others hold, and that outlives this.
  IndexedRepository(KeyedRepository& repository, IndexTables tables);

  Opened& repository() override { return repository_; }
  std::optional<Location> find(BlobType type, const Id& id) const override;
  uint64_t blobs(BlobType type) const override;
  void each(const std::function<void(BlobType, const Id&, const Location&)>& see) const override;
  Result<std::string> read(BlobType type, const Id& id) override;

  Workshop& workshop() { return workshop_; }
  /// As it was loaded, without what has been added since. Only of an index that is one table, as
  /// surveys make it and load_index does without a cache.
  const IndexTable& table() const;

  /// True if nobody has said so before: whoever hears true stores the blob, the others may rely on
  /// it.
  bool claim(BlobType type, const Id& id);
  /// A pack that is durable: its blobs can be read from now on.
  void note(const IndexedPack& pack);
  /// What was noted and is in no index file yet; nothing if it is fewer blobs than `least`.
  std::vector<IndexedPack> take_unwritten(size_t least = 0);

 private:
  Result<std::string> read_at(const Id& id, const Location& where);

  const std::unique_ptr<KeyedRepository> owned_;
  KeyedRepository& repository_;
  const IndexTables tables_;
  Workshop workshop_;
  mutable Mutex mutex_;
  Added added_[2] HF_GUARDED_BY(mutex_);
  std::vector<IndexedPack> unwritten_ HF_GUARDED_BY(mutex_);
  size_t unwritten_blobs_ HF_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::repo
