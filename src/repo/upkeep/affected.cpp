#include "upkeep/affected.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

constexpr size_t kMostReported = 1000;
/// No path has so many parts, and the stack bears them.
constexpr int kDeepest = 5000;

}  // namespace

AffectedSearch::AffectedSearch(IndexedRepository& index, const BadThings& bad, CheckResult& into)
    : index_(index), bad_(bad), into_(into), clean_(index.table()) {}

void AffectedSearch::search(const Snapshot& snapshot) {
  snapshot_ = snapshot.id;
  search_tree(snapshot.tree, "", 0);
}

void AffectedSearch::report(const std::string& path, const std::string& what) {
  if (into_.affected.size() < kMostReported)
    into_.affected.push_back({snapshot_, path.empty() ? "/" : path, what});
  else
    ++into_.affected_more;
}

bool AffectedSearch::see_node(const Node& node, const std::string& path, int depth) {
  if (node.type == NodeType::Dir && node.subtree)
    return search_tree(*node.subtree, path, depth + 1);
  if (!node.content) return false;
  for (const Id& blob : *node.content) {
    const auto bad = bad_.blobs.find(blob);
    const bool known = index_.find(BlobType::Data, blob).has_value();
    if (bad == bad_.blobs.end() && known) continue;
    report(path, fmt::format("blob {}: {}", blob.hex(),
                             known ? bad->second : std::string("in no index")));
    return true;
  }
  return false;
}

/// True if something is wrong below.
bool AffectedSearch::search_tree(const Id& tree, const std::string& path, int depth) {
  if (depth > kDeepest) {
    report(path, "nested too deeply to look inside");
    return true;
  }
  const auto position = index_.table().position(BlobType::Tree, tree);
  if (position && clean_.has(BlobType::Tree, *position)) return false;
  const auto bad = bad_.trees.find(tree);
  if (bad != bad_.trees.end()) {
    report(path, fmt::format("tree {}: {}", tree.hex(), bad->second));
    return true;
  }
  const Result<std::string> json = index_.read(BlobType::Tree, tree);
  const Result<std::vector<Node>> nodes = json ? parse_tree(*json) : json.error().copy();
  if (!nodes) {
    report(path, fmt::format("tree {}: {}", tree.hex(), nodes.error().what()));
    return true;
  }
  bool wrong = false;
  for (const Node& node : *nodes) {
    const bool below = see_node(node, path + "/" + node.name, depth);
    wrong = wrong || below;
  }
  if (!wrong && position) clean_.insert(BlobType::Tree, *position);
  return wrong;
}

}  // namespace holdfast::repo
