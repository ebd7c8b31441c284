// Extents of trees that stand for more folders than there are trees.
#include <holdfast/base/walls.h>
#include <holdfast/repo/tree.h>

#include "trees/damage.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

namespace holdfast::repo {
namespace {

/// As many as ext4 has inodes at most.
constexpr uint64_t kMostEntries = uint64_t{1} << 32;
/// A walk that has entered so many folders, and these times more than there are trees, counts
/// before it goes on: equal folders are one tree, and some are copied often.
constexpr uint64_t kFewFolders = 1'000, kTimes = 4;
constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

uint64_t capped_sum(uint64_t a, uint64_t b) { return a > kMost - b ? kMost : a + b; }

/// From the leaves to the root.
class Counter {
 public:
  Counter(Indexed& index, const std::function<Result<Extent>(const Node&)>& own,
          const std::function<void(const Error&)>& damaged)
      : index_(index), own_(own), damaged_(damaged) {}

  Result<Extent> count(const Id& root) {
    HF_TRY(enter(root));
    while (!way_.empty()) {
      Level& level = way_.back();
      if (level.next == level.nodes.size()) {
        leave();
        continue;
      }
      const Node& node = level.nodes[level.next++];
      const Extent own = HF_TRY(own_(node));
      level.sum.add(own);
      if (node.type != NodeType::Dir) continue;
      if (node.subtree)
        HF_TRY(add_below(Id(*node.subtree)));
      else
        damaged_(folder_without_tree());
    }
    return known_[root];
  }

 private:
  /// A tree on the way down, and the sum of what is behind already.
  struct Level {
    Id tree{};
    std::vector<Node> nodes{};
    size_t next = 0;
    Extent sum{};
  };

  Result<void> add_below(const Id& tree) {
    if (const auto found = known_.find(tree); found != known_.end()) {
      way_.back().sum.add(found->second);
      return ok();
    }
    if (way_.size() < kDeepest) return enter(tree);
    damaged_(nested_too_deeply());
    return ok();
  }

  Result<void> enter(const Id& tree) {
    Result<std::vector<Node>> nodes = load_tree(index_, tree);
    if (!nodes && !is_damage(nodes.error())) return nodes.take_error();
    if (nodes) {
      way_.push_back({.tree = tree, .nodes = nodes.take()});
      return ok();
    }
    known_.try_emplace(tree);
    damaged_(nodes.error());
    return ok();
  }

  void leave() {
    const Extent sum = way_.back().sum;
    known_.insert_or_assign(way_.back().tree, sum);
    way_.pop_back();
    if (!way_.empty()) way_.back().sum.add(sum);
  }

  Indexed& index_;
  const std::function<Result<Extent>(const Node&)>& own_;
  const std::function<void(const Error&)>& damaged_;
  std::vector<Level> way_;
  std::unordered_map<Id, Extent, IdHash> known_;
};

}  // namespace

void Extent::add(const Extent& other) {
  entries = capped_sum(entries, other.entries);
  bytes = capped_sum(bytes, other.bytes);
}

Result<Extent> extent_of(Indexed& index, const Id& tree,
                         const std::function<Result<Extent>(const Node&)>& own,
                         const std::function<void(const Error&)>& damaged) {
  return Counter(index, own, damaged).count(tree);
}

WalkBound::WalkBound(Indexed& index, const Id& root)
    : index_(index),
      root_(root),
      unsuspicious_(kFewFolders + kTimes * index.blobs(BlobType::Tree)) {}

Result<void> WalkBound::enter() {
  if (++entered_ < unsuspicious_ || !wall_stands("number of folders")) return ok();
  unsuspicious_ = kMost;
  const Extent whole = HF_TRY(extent_of(
      index_, root_, [](const Node&) -> Result<Extent> { return Extent{.entries = 1}; },
      [](const Error&) {}));
  if (whole.entries <= kMostEntries) return ok();
  return Error(
             Fault::Corrupt,
             fmt::format("tree {} stands for {} files and folders, which no file system holds, in "
                         "a repository of {} trees",
                         root_.hex(), whole.entries, index_.blobs(BlobType::Tree)))
      .with_hint("it was made by hand; single folders of it can be looked at");
}

}  // namespace holdfast::repo
