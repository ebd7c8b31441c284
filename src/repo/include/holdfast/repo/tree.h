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
/// Read and parsed. Corrupt or NotFound if the repository no longer has it whole.
Result<std::vector<Node>> load_tree(Indexed& index, const Id& tree);

/// Folders in each other that are looked into. No path of Linux has so many parts: what is nested
/// deeper was made by hand.
inline constexpr size_t kDeepest = 5000;
/// "is nested too deeply: …"
Error nested_too_deeply();

/// What to do with a directory that is met on a walk.
enum class Step { Inside, Past };

/// Every node below a tree, depth first, in the order of paths, a directory before what is in it;
/// `path` begins without a slash. A caller who has seen a subtree before answers Past. Trees that
/// do not load or parse, and those nested too deeply, go to `damaged`, with the path of their
/// directory, and the walk goes on. A failure of `visit`, and one of the store, ends it, and so
/// does what WalkBound finds.
Result<void> walk(Indexed& index, const Id& tree,
                  const std::function<Result<Step>(const std::string& path, const Node&)>& visit,
                  const std::function<void(const std::string& path, const Error&)>& damaged);

/// Files, folders and bytes; the largest number if there are more.
struct Extent {
  uint64_t entries = 0, bytes = 0;
  void add(const Extent& other);
};

/// All that lies below a tree, counted as often as it stands there, though each tree is read once.
/// `own` says what a node counts by itself, and is asked once for each node of each tree.
Result<Extent> extent_of(Indexed& index, const Id& tree,
                         const std::function<Result<Extent>(const Node&)>& own,
                         const std::function<void(const Error&)>& damaged);

/// Bound of a walk. A few trees that name each other twice stand for more folders than anyone can
/// walk through: forty of them for a million millions.
class WalkBound {
 public:
  /// The index outlives it.
  WalkBound(Indexed& index, const Id& root);
  /// Asked for each folder before it is entered. Corrupt if the root stands for more files and
  /// folders than any file system holds.
  Result<void> enter();

 private:
  Indexed& index_;
  const Id root_;
  uint64_t entered_ = 0;
  uint64_t unsuspicious_;  ///< so many folders are walked through before they are counted
};

}  // namespace holdfast::repo
