/// Files of snapshots that damage affects.
#pragma once

#include <holdfast/repo/check.h>
#include <holdfast/repo/tree.h>

#include "trees/reach.h"

#include <unordered_map>

namespace holdfast::repo {

/// What is wrong, by the id of the tree or blob.
struct BadThings {
  std::unordered_map<Id, std::string, IdHash> trees{}, blobs{};
  bool empty() const { return trees.empty() && blobs.empty(); }
};

/// Trees that lie below several snapshots, or several times below one, are looked at once for as
/// long as nothing is wrong below them. Once no more files can be named, neither are others.
class AffectedSearch {
 public:
  AffectedSearch(IndexedRepository& index, const BadThings& bad, CheckResult& into);
  void search(const Snapshot& snapshot);

 private:
  /// A tree that the search is in.
  struct Level {
    Id tree{};
    std::vector<Node> nodes{};
    size_t next = 0;
    size_t path_size = 0;
    uint64_t found = 0;  ///< files and folders that are affected
  };
  void search_tree(const Id& tree);
  void search_node(const Node& node);
  void leave();
  void report(const std::string& what);
  void count(uint64_t found);

  IndexedRepository& index_;
  const BadThings& bad_;
  CheckResult& into_;
  BlobSet clean_;
  std::unordered_map<Id, uint64_t, IdHash> affected_;  ///< how many are, below a tree
  std::vector<Level> way_;
  std::string path_;  ///< of what is looked at
  Id snapshot_{};
};

}  // namespace holdfast::repo
