/// One directory of a snapshot, as restic writes it: the JSON is equal byte for byte, so that trees
/// of both programs are the same blob.
#pragma once

#include <holdfast/repo/repository.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::repo {

enum class NodeType { File, Dir, Symlink, Device, CharDevice, Fifo, Socket, Irregular };

/// Nanoseconds since the epoch and the offset in which it was written.
struct NodeTime {
  int64_t seconds = 0;
  int32_t nanoseconds = 0;
  int32_t offset_seconds = 0;
  bool operator==(const NodeTime&) const = default;
};
/// What Go takes a time for that is not said, as rustic says none of the folders above a backup.
inline constexpr NodeTime kNoTime{.seconds = -62135596800};
/// RFC 3339, as it stands in a tree.
std::string to_text(const NodeTime& time);

struct Node {
  std::string name{};  ///< raw bytes
  NodeType type = NodeType::File;
  uint32_t mode = 0;  ///< Go's FileMode bits
  NodeTime mtime{}, atime{}, ctime{};
  uint32_t uid = 0, gid = 0;
  std::string user{}, group{};
  uint64_t inode = 0, device_id = 0, size = 0, links = 0, device = 0;
  std::string link_target{};  ///< raw bytes
  std::vector<std::pair<std::string, std::string>> extended_attributes{};
  std::optional<std::vector<Id>> content{};  ///< files: there, possibly empty
  std::optional<Id> subtree{};
  std::string error{};
  std::string generic_attributes{};  ///< JSON as read; of Windows
  bool operator==(const Node&) const = default;
};

/// Invalid names the node. Nodes must be strictly ascending by raw name.
Result<std::vector<Node>> parse_tree(std::string_view json);
std::string to_json(const std::vector<Node>& nodes);

/// What to do with a directory that is met on a walk.
enum class Step { Inside, Past };

/// Every node below a tree, depth first, in the order of paths, a directory before what is in it;
/// `path` begins without a slash. A caller who has seen a subtree before answers Past. Trees that
/// do not load or parse go to `damaged`, with the path of their directory, and the walk goes on. A
/// failure of `visit`, and one of the store, ends it.
Result<void> walk(Indexed& index, const Id& tree,
                  const std::function<Result<Step>(const std::string& path, const Node&)>& visit,
                  const std::function<void(const std::string& path, const Error&)>& damaged);

}  // namespace holdfast::repo
