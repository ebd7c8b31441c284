/// What the file system says of one file, as a node of a tree.
#pragma once

#include <holdfast/repo/tree.h>

#include <sys/stat.h>

#include <map>
#include <string>

namespace holdfast::repo {

/// Names of users and groups are looked up once each. One per thread.
class Names {
 public:
  const std::string& user(uint32_t uid);
  const std::string& group(uint32_t gid);

 private:
  std::map<uint32_t, std::string> users_, groups_;
};

/// All but content and subtree. `path` is where it is, `name` what it is called in the tree. Errors
/// name the path.
Result<Node> node_of(const std::string& path, std::string name, const struct stat& info,
                     bool with_atime, Names& names);

/// Go's FileMode bits for a mode of Unix, and back.
uint32_t go_mode(uint32_t unix_mode);
uint32_t unix_mode(uint32_t go_mode);

}  // namespace holdfast::repo
