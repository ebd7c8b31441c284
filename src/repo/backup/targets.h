/// The paths of a backup as the tree that they form in the snapshot.
#pragma once

#include <holdfast/base/result.h>

#include <map>
#include <string>
#include <vector>

namespace holdfast::repo {

/// A path of the backup, or a folder on the way to one.
struct Target {
  std::string path{};  ///< on disk; "" for the root of the snapshot
  bool whole = false;  ///< everything in it, not only what is below here
  std::map<std::string, Target> below{};
};

/// As restic does: /a/b is a folder a with b in it, a relative path stays relative, "." and "/" are
/// their content. Two targets that would have the same place: the second gets "-1" at its end.
Target make_targets(const std::vector<std::string>& paths);

}  // namespace holdfast::repo
