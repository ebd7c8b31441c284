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

/// Trees that lie below several snapshots are looked at once for as long as nothing is wrong below
/// them.
class AffectedSearch {
 public:
  AffectedSearch(IndexedRepository& index, const BadThings& bad, CheckResult& into);
  void search(const Snapshot& snapshot);

 private:
  bool search_tree(const Id& tree, const std::string& path, int depth);
  bool see_node(const Node& node, const std::string& path, int depth);
  void report(const std::string& path, const std::string& what);

  IndexedRepository& index_;
  const BadThings& bad_;
  CheckResult& into_;
  BlobSet clean_;
  Id snapshot_{};
};

}  // namespace holdfast::repo
