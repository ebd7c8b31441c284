/// Saver: stores the bytes of files and trees: cut, hashed, compressed, sealed and packed.
#pragma once

#include <holdfast/repo/backup.h>
#include <holdfast/repo/tree.h>

#include "chunk/rabin.h"
#include "index/indexed.h"
#include "pack/packer.h"

#include <atomic>
#include <map>
#include <span>

namespace holdfast::repo {

struct SaverFigures {
  std::atomic<uint64_t> data_blobs{0}, tree_blobs{0}, data_added{0}, data_added_packed{0};
};

/// Safe to use from many threads.
class Saver {
 public:
  Saver(IndexedRepository& index, const BackupOptions& options);

  /// Where the first chunk of the data ends, if what is in sight decides it; see Rabin::find_cut.
  std::optional<size_t> find_cut(const ChunkPolicy& chunks, std::string_view data,
                                 size_t seen) const;
  /// Chunks of a file, or whole small files, together, so that they are hashed side by side.
  Result<void> save_blobs(BlobType type, std::span<const std::string_view> plains,
                          std::span<Id> ids);
  Result<Id> save_tree(const std::vector<Node>& nodes);

  /// Sends what is left and writes the index. Nothing of it may be in a snapshot before this.
  Result<void> finish();
  /// After a failure: what is stored is written to an index, so that it need not be sent again.
  void abandon();
  const SaverFigures& figures() const { return figures_; }

 private:
  Id zero_id(size_t size);
  void hash_plains(std::span<const std::string_view> plains, std::span<Id> ids);
  Result<void> store(BlobType type, const Id& id, std::string_view plain);
  Result<void> write_index_if_due();
  Result<void> write_index(std::vector<IndexedPack> packs);

  IndexedRepository& index_;
  const BackupOptions& options_;
  const Rabin rabin_;
  std::atomic<MonoTime> last_index_;
  Packer packer_;
  SaverFigures figures_;
  /// Of zeros of each length that was met: hashing them anew would take longer than seeing them.
  Mutex mutex_;
  std::map<size_t, Id> zeros_ HF_GUARDED_BY(mutex_);
};

/// How long the chunks of nothing but zeros are.
size_t zero_chunk(const ChunkPolicy& chunks);

/// zstd level for restic's name of it; 0 = not compressed.
int level_of(Compression compression);

}  // namespace holdfast::repo
