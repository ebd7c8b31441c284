/// Stores the bytes of files and trees: cut, hashed, compressed, sealed and packed.
#pragma once

#include <holdfast/repo/backup.h>

#include "chunk/rabin.h"
#include "files/file_node.h"
#include "index/indexed.h"
#include "pack/packer.h"

#include <atomic>
#include <span>

namespace holdfast::repo {

struct SaverFigures {
  std::atomic<uint64_t> data_blobs{0}, tree_blobs{0}, data_added{0}, data_added_packed{0};
};

/// Safe to use from many threads; each brings its own Reading.
class Saver {
 public:
  Saver(IndexedRepository& index, const BackupOptions& options);

  /// Buffers of one thread.
  struct Reading {
    std::string buffer{};
  };

  /// Everything the descriptor holds, as blobs; their ids in order, and how many bytes there were.
  struct Saved {
    std::vector<Id> content{};
    uint64_t size = 0;
  };
  using Source = std::function<Result<size_t>(char* into, size_t most)>;
  Result<Saved> save_stream(const Source& source, Reading& reading,
                            const std::function<void(uint64_t)>& read);
  /// Whole small files at once, so that they are hashed two by two.
  Result<void> save_blobs(BlobType type, std::span<const std::string_view> plains,
                          std::span<Id> ids);
  Result<Id> save_tree(const std::vector<Node>& nodes);

  /// Sends what is left and writes the index. Nothing of it may be in a snapshot before this.
  Result<void> finish();
  const SaverFigures& figures() const { return figures_; }

 private:
  Result<void> store(BlobType type, const Id& id, std::string_view plain);
  size_t next_cut(std::string_view data) const;
  Result<void> write_index();

  IndexedRepository& index_;
  const BackupOptions& options_;
  const Rabin rabin_;
  Packer packer_;
  SaverFigures figures_;
};

/// zstd level for restic's name of it; 0 = not compressed.
int level_of(Compression compression);

}  // namespace holdfast::repo
