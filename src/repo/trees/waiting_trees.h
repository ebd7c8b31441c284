/// Trees that wait to be read, by the pack that they are in: those that lie together are read
/// together, as a store far away answers a hundred requests as slowly as a hundred times one.
#pragma once

#include "index/table.h"

#include <map>
#include <vector>

namespace holdfast::repo {

/// Trees that one request brings, by their offsets in the pack.
struct TreeRun {
  std::vector<uint32_t> positions{};  ///< in the table
  uint64_t begin = 0, end = 0;        ///< of the pack
};

/// Not safe to use from many threads. Four bytes a tree.
class WaitingTrees {
 public:
  explicit WaitingTrees(const IndexTable& table) : table_(table) {}

  bool empty() const { return by_pack_.empty(); }
  void add(size_t position);
  /// Of the pack in which most are waiting.
  TreeRun take();

 private:
  const IndexTable& table_;
  std::map<uint32_t, std::vector<uint32_t>> by_pack_;
};

}  // namespace holdfast::repo
