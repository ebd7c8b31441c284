// Depth first over the trees of a snapshot. The trees on the way down are kept, nothing else.
#include <holdfast/repo/tree.h>

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

struct Level {
  std::vector<Node> nodes{};
  size_t next = 0;
  size_t path_size = 0;  ///< of the directory, with its slash
};

/// Nothing if it is damaged, which `damaged` has been told.
Result<std::optional<std::vector<Node>>> load(
    Indexed& index, const Id& tree, const std::string& path,
    const std::function<void(const std::string&, const Error&)>& damaged) {
  Result<std::string> json = index.read(BlobType::Tree, tree);
  if (!json && json.error().fault() != Fault::Corrupt && json.error().fault() != Fault::NotFound)
    return json.take_error();
  Result<std::vector<Node>> nodes = json ? parse_tree(*json) : json.take_error();
  if (nodes) return std::optional(nodes.take());
  damaged(path, nodes.take_error().with_context(fmt::format("tree {}", tree.hex())));
  return std::optional<std::vector<Node>>();
}

}  // namespace

Result<void> walk(Indexed& index, const Id& tree,
                  const std::function<Result<Step>(const std::string&, const Node&)>& visit,
                  const std::function<void(const std::string&, const Error&)>& damaged) {
  std::vector<Level> way;
  std::string path;
  // Directories may be nested deeper than a stack of calls would bear.
  const auto descend = [&](const Id& into) -> Result<void> {
    std::optional<std::vector<Node>> nodes = HF_TRY(load(index, into, path, damaged));
    if (!nodes) return ok();
    if (!path.empty()) path += '/';
    way.push_back({std::move(*nodes), 0, path.size()});
    return ok();
  };
  HF_TRY(descend(tree));
  while (!way.empty()) {
    Level& level = way.back();
    path.resize(level.path_size);
    if (level.next == level.nodes.size()) {
      way.pop_back();
      continue;
    }
    const Node& node = level.nodes[level.next++];
    path += node.name;
    const Step step = HF_TRY(visit(path, node));
    if (node.type != NodeType::Dir || step == Step::Past) continue;
    if (!node.subtree) {
      damaged(path, Error(Fault::Corrupt, "a directory without a tree"));
      continue;
    }
    const Id subtree = *node.subtree;
    HF_TRY(descend(subtree));
  }
  return ok();
}

}  // namespace holdfast::repo
