/// Everything that was ever committed, in order: what the invariants are checked on, what the
/// fake kubelet and the user look at, and what a server that lags behind would still answer.
#pragma once

#include <holdfast/kube/cached.h>
#include <holdfast/kube/resource.h>
#include <holdfast/model/json.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::sim {

class Server;
using ObjectPtr = std::shared_ptr<const model::Value>;

struct Commit {
  enum class Kind { Created, Changed, Deleted };
  Kind kind = Kind::Created;
  uint64_t version = 0;
  size_t resource = 0;  ///< index into History::resources()
  kube::Key key{};
  std::string uid{};
  ObjectPtr object{};  ///< the last state, of a deletion
  ObjectPtr before{};  ///< null of a creation
};

class History {
 public:
  using Objects = std::map<kube::Key, ObjectPtr>;

  /// Begins with what is there.
  static Result<std::unique_ptr<History>> make(Server& server,
                                               std::vector<kube::Resource> resources);
  ~History();

  /// Takes in what was committed since the last time.
  void catch_up();
  const std::vector<Commit>& commits() const { return commits_; }
  const std::vector<kube::Resource>& resources() const { return resources_; }
  /// By plural: "pods". Must be one of resources().
  size_t index_of(std::string_view plural) const;
  const Objects& now(std::string_view plural) const { return now_[index_of(plural)]; }
  const Objects& now(size_t resource) const { return now_[resource]; }
  /// Null if it is not there.
  ObjectPtr get(std::string_view plural, std::string_view ns, std::string_view name) const;
  /// As a list at that version would have answered: a List of that resource, as text.
  std::string list_at(size_t resource, uint64_t version) const;
  uint64_t version() const { return commits_.empty() ? 0 : commits_.back().version; }

 private:
  struct Follower;
  explicit History(std::vector<kube::Resource> resources);
  void take_line(size_t resource, std::string_view line, std::vector<Commit>& out);

  std::vector<kube::Resource> resources_;
  std::vector<Objects> now_;
  std::vector<Commit> commits_;
  std::vector<std::unique_ptr<Follower>> followers_;
};

}  // namespace holdfast::sim
