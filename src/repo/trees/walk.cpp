// Depth first over the trees of a snapshot. The trees on the way down are kept, nothing else.
#include <holdfast/base/walls.h>
#include <holdfast/repo/tree.h>

#include "trees/damage.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

struct Level {
  std::vector<Node> nodes{};
  size_t next = 0;
  size_t path_size = 0;  ///< of the directory, with its slash
};

using Damaged = std::function<void(const std::string& path, const Error&)>;

/// Directories may be nested deeper than a stack of calls would bear.
class Way {
 public:
  Way(Indexed& index, const Id& root, const Damaged& damaged)
      : index_(index), bound_(index, root), damaged_(damaged) {}

  bool empty() const { return levels_.empty(); }
  const std::string& path() const { return path_; }

  Result<void> enter(const Id& tree) {
    if (levels_.size() >= kDeepest && wall_stands("depth of folders")) {
      damaged_(path_, nested_too_deeply());
      return ok();
    }
    HF_TRY(bound_.enter());
    Result<std::vector<Node>> nodes = load_tree(index_, tree);
    if (!nodes && !is_damage(nodes.error())) return nodes.take_error();
    if (!nodes) {
      damaged_(path_, nodes.take_error().with_context(fmt::format("tree {}", tree.hex())));
      return ok();
    }
    if (!path_.empty()) path_ += '/';
    levels_.push_back({nodes.take(), 0, path_.size()});
    return ok();
  }

  /// The next node, whose path is path() then; null at the end of a directory, which is left.
  const Node* next() {
    Level& level = levels_.back();
    path_.resize(level.path_size);
    if (level.next < level.nodes.size()) {
      const Node& node = level.nodes[level.next++];
      path_ += node.name;
      return &node;
    }
    levels_.pop_back();
    return nullptr;
  }

 private:
  Indexed& index_;
  WalkBound bound_;
  const Damaged& damaged_;
  std::vector<Level> levels_;
  std::string path_;
};

}  // namespace

Result<std::vector<Node>> load_tree(Indexed& index, const Id& tree) {
  const std::string json = HF_TRY(index.read(BlobType::Tree, tree));
  return parse_tree(json);
}

Error nested_too_deeply() {
  return {Fault::Corrupt,
          fmt::format("nested too deeply: more than {} folders in each other", kDeepest)};
}

Result<void> walk(Indexed& index, const Id& tree,
                  const std::function<Result<Step>(const std::string&, const Node&)>& visit,
                  const Damaged& damaged) {
  Way way(index, tree, damaged);
  HF_TRY(way.enter(tree));
  while (!way.empty()) {
    const Node* node = way.next();
    if (node == nullptr) continue;
    const Step step = HF_TRY(visit(way.path(), *node));
    if (node->type != NodeType::Dir || step == Step::Past) continue;
    if (node->subtree)
      HF_TRY(way.enter(Id(*node->subtree)));
    else
      damaged(way.path(), folder_without_tree());
  }
  return ok();
}

}  // namespace holdfast::repo
