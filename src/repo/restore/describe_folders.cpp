// The second walk: owners, modes and times of folders, last ones first.
#include <holdfast/base/walls.h>

#include "files/input.h"
#include "restore/restorer.h"
#include "restore/safe_name.h"

namespace holdfast::repo {
namespace {

/// Folders that are there: their paths are as short as the kernel wants them.
struct Level {
  Node self{};
  std::vector<Node> nodes{};
  size_t next = 0;
  std::string inside{}, target{};
};

}  // namespace

/// Nothing below a link, whatever it leads to.
bool Restorer::is_described(const Node& node, const std::string& inside,
                            const std::string& target) const {
  if (node.type != NodeType::Dir || !node.subtree || !is_safe(node.name)) return false;
  if (!filters_.wants_below(inside) || joined_.contains(target)) return false;
  const bool follow = !wall_stands("links in a target");
  const Result<struct stat> there = follow ? stat_behind(target) : stat_of(target);
  return there && S_ISDIR(there->st_mode);
}

/// What this restore has chosen, or had to make for it; what else is there is not ours.
Result<void> Restorer::describe_folders(const Id& root) {
  std::vector<Level> way;
  const auto enter = [&](Node&& folder, std::string inside, std::string target) {
    // What cannot be read the first walk has told.
    Result<std::vector<Node>> nodes = load_tree(index_, *folder.subtree);
    way.push_back({std::move(folder), nodes ? nodes.take() : std::vector<Node>(), 0,
                   std::move(inside), std::move(target)});
  };
  Node above;
  above.subtree = root;
  enter(std::move(above), "", top());
  while (!way.empty()) {
    HF_TRY(go_on());
    Level& level = way.back();
    if (level.next < level.nodes.size()) {
      Node& node = level.nodes[level.next++];
      std::string inside = level.inside + "/" + node.name;
      std::string target = level.target + "/" + node.name;
      if (is_described(node, inside, target))
        enter(std::move(node), std::move(inside), std::move(target));
      continue;
    }
    const bool ours = filters_.wants(level.inside) || led_to_.contains(level.target) ||
                      !wall_stands("links in a target");
    if (way.size() > 1 && ours) {
      (void)take_special(level.self);
      const Result<void> done = describe_path(level.target, level.self, ownership_);
      if (!done) report(level.target, done.error());
    }
    way.pop_back();
  }
  return ok();
}

}  // namespace holdfast::repo
