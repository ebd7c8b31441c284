/// Node of a tree, from what the file system says of a file.
#pragma once

#include <holdfast/repo/tree.h>

#include <sys/stat.h>

#include <functional>
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
/// name the path; extended attributes that cannot be read go to `report` and are left out.
Result<Node> node_of(const std::string& path, std::string name, const struct stat& info,
                     bool with_atime, Names& names,
                     const std::function<void(const Error&)>& report);

/// With the offset that this machine's time zone had then.
NodeTime local_time(int64_t seconds, int32_t nanoseconds);

/// Go's FileMode bits for a mode of Unix, and back.
uint32_t go_mode(uint32_t unix_mode);
uint32_t unix_mode(uint32_t go_mode);

}  // namespace holdfast::repo
