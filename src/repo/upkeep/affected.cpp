#include "upkeep/affected.h"

#include <fmt/format.h>

#include <limits>

namespace holdfast::repo {
namespace {

constexpr size_t kMostReported = 1000;

void add_capped(uint64_t& sum, uint64_t more) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  sum = sum > kMost - more ? kMost : sum + more;
}

}  // namespace

AffectedSearch::AffectedSearch(IndexedRepository& index, const BadThings& bad, CheckResult& into)
    : index_(index), bad_(bad), into_(into), clean_(index.table()) {}

void AffectedSearch::search(const Snapshot& snapshot) {
  snapshot_ = snapshot.id;
  path_.clear();
  search_tree(snapshot.tree);
  while (!way_.empty()) {
    Level& level = way_.back();
    if (level.next == level.nodes.size()) {
      leave();
      continue;
    }
    const Node& node = level.nodes[level.next++];
    path_.resize(level.path_size);
    path_ += "/" + node.name;
    search_node(node);
  }
}

void AffectedSearch::count(uint64_t found) {
  if (!way_.empty()) add_capped(way_.back().found, found);
}

void AffectedSearch::report(const std::string& what) {
  count(1);
  if (into_.affected.size() < kMostReported)
    into_.affected.push_back({snapshot_, path_.empty() ? "/" : path_, what});
  else
    add_capped(into_.affected_more, 1);
}

void AffectedSearch::search_node(const Node& node) {
  if (node.type == NodeType::Dir && node.subtree) return search_tree(Id(*node.subtree));
  if (!node.content) return;
  for (const Id& blob : *node.content) {
    const auto bad = bad_.blobs.find(blob);
    const bool known = index_.find(BlobType::Data, blob).has_value();
    if (bad == bad_.blobs.end() && known) continue;
    return report(
        fmt::format("blob {}: {}", blob.hex(), known ? bad->second : std::string("in no index")));
  }
}

void AffectedSearch::search_tree(const Id& tree) {
  if (way_.size() >= kDeepest) return report(nested_too_deeply().what());
  const auto position = index_.table().position(BlobType::Tree, tree);
  if (position && clean_.has(BlobType::Tree, *position)) return;
  const auto known = affected_.find(tree);
  if (known != affected_.end() && into_.affected.size() >= kMostReported) {
    add_capped(into_.affected_more, known->second);
    return count(known->second);
  }
  const auto bad = bad_.trees.find(tree);
  if (bad != bad_.trees.end()) return report(fmt::format("tree {}: {}", tree.hex(), bad->second));
  Result<std::vector<Node>> nodes = load_tree(index_, tree);
  if (!nodes) return report(fmt::format("tree {}: {}", tree.hex(), nodes.error().what()));
  way_.push_back({.tree = tree, .nodes = nodes.take(), .path_size = path_.size()});
}

void AffectedSearch::leave() {
  const Level level = std::move(way_.back());
  way_.pop_back();
  if (level.found > 0) {
    affected_.insert_or_assign(level.tree, level.found);
    return count(level.found);
  }
  if (const auto position = index_.table().position(BlobType::Tree, level.tree))
    clean_.insert(BlobType::Tree, *position);
}

}  // namespace holdfast::repo
