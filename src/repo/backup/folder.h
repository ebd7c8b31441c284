/// A directory on its way into the repository. It becomes a tree once all that is in it is known;
/// the thread that learns the last thing writes it, and tells the directory above.
#pragma once

#include <holdfast/repo/tree.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::repo {

struct Folder {
  std::shared_ptr<Folder> above{};
  size_t place = 0;  ///< among the nodes of the one above
  std::string path{};
  std::vector<Node> nodes{};
  std::vector<bool> lost{};     ///< nodes that could not be read, left out of the tree
  std::atomic<size_t> open{1};  ///< nodes still being worked on, and one for the walk itself
};

}  // namespace holdfast::repo
