/// The world's storage, for scenarios about moves of data: volumes for claims that pods use,
/// volumes that were reserved for a claim, and snapshots, each as its real controller would have
/// it, with the data on them.
#pragma once

#include <holdfast/kube/group_kinds.h>
#include <holdfast/sim/history.h>

#include "data/volumes.h"
#include "world/containers.h"
#include "world/schedule.h"
#include "world/server.h"

#include <set>
#include <string>
#include <vector>

namespace holdfast::sim {

/// CustomResourceDefinitions of the two.
std::vector<model::Value> snapshot_definitions();

/// Groups as snapshot-controller 8.2 has them, the eldest that we can use: in v1beta1, members made
/// for their claims. The embedded server's are of v1, with members made for their contents.
const kube::GroupKinds& group_kinds();

class Storage final : public Actor {
 public:
  Storage(Server& server, History& history, const ManualClock& clock, Random& random,
          const Parts& parts);

  std::string_view name() const override { return "storage"; }
  std::optional<MonoTime> due() override;
  void step() override;

  /// Gives the claim a volume if it has none. False: the snapshot that it is to be made of is not
  /// there, or not ready.
  bool provide(const kube::Key& claim);
  Volumes& volumes() { return volumes_; }

 private:
  struct Task {
    size_t resource = 0;
    kube::Key key{};
    std::string uid{};
    auto operator<=>(const Task&) const = default;
  };
  void consider(const Commit& commit);
  void attend(const Task& task);
  void attend_claim(const kube::Key& key, const std::string& uid);
  void attend_volume(const model::Value& volume);
  void bind_reserved(const model::Value& claim, const kube::Key& key);
  void tell_phase(const std::string& volume, std::string_view phase);
  void attend_snapshot(const model::Value& snapshot, const kube::Key& key);
  void attend_group(const model::Value& group, const kube::Key& key);
  void make_member(const model::Value& group, const kube::Key& claim, const std::string& volume,
                   const std::string& handle);
  /// The claim, for the snapshot, under that handle.
  void cut(const kube::Key& claim, const model::Value& snapshot, const std::string& handle);
  void take_away_group(const std::string& group_uid);
  void take_away_content(const std::string& snapshot_uid);
  void ask(const char* method, const std::string& path, const model::Value& body);

  Server& server_;
  History& history_;
  const ManualClock& clock_;
  Random& random_;
  const Parts& parts_;
  const Caller caller_;
  Volumes volumes_;
  size_t seen_ = 0;
  int made_ = 0;  ///< volumes so far; their names, so that runs can be compared
  std::set<std::pair<MonoTime, Task>> queue_;
};

}  // namespace holdfast::sim
