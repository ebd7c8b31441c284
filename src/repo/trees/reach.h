/// Blobs reachable from trees: what check looks for and prune must keep.
#pragma once

#include "index/indexed.h"

#include <atomic>
#include <span>
#include <stop_token>

namespace holdfast::repo {

/// A set of blobs of an index table: one bit each, whatever their ids.
class BlobSet {
 public:
  explicit BlobSet(const IndexTable& table);
  bool has(BlobType type, size_t position) const;
  /// True if it was not there. Safe from many threads.
  bool insert(BlobType type, size_t position);
  uint64_t count(BlobType type) const;

 private:
  std::vector<std::atomic<uint64_t>> words_[2];
};

/// Something that a tree needs and that is not as it should be.
struct TreeTrouble {
  Id tree{};           ///< where it is said; a root that is missing says itself
  std::string node{};  ///< raw name; "" = the tree as a whole
  std::string what{};
};

struct Reach {
  BlobSet used;
  std::vector<TreeTrouble> troubles{};  ///< sorted by tree
};

/// Reads every tree below the roots once, with several threads, those that lie together in a pack
/// by one request. Memory: a bit for each blob, four bytes for each tree that waits to be read, and
/// some MiB of trees on their way. Damage is collected; a store that fails again and again ends it.
Result<Reach> reach(IndexedRepository& index, std::span<const Id> roots, int threads,
                    const std::function<void(uint64_t trees)>& progress,
                    const std::stop_token& stop);

}  // namespace holdfast::repo
