/// The kinds of groupsnapshot.storage.k8s.io, the one group of which clusters of today have
/// different versions. An object is the same in all that are served: what was made in one is found
/// in another.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/client.h>

#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::kube {

struct GroupKinds {
  Resource snapshots = kGroupSnapshots, contents = kGroupSnapshotContents,
           classes = kGroupSnapshotClasses;
  bool operator==(const GroupKinds& other) const = default;
};

/// The versions that we can use of those that the group has (an APIGroup of discovery), the best
/// first.
std::vector<std::string_view> usable_versions(const model::Value& group);
/// Whether a version (an APIResourceList of discovery) has all three: while definitions are
/// replaced one after the other, it may have some.
bool has_all_kinds(const model::Value& resources);
/// Of one of the usable versions.
GroupKinds kinds_in(std::string_view version);

/// Asks by discovery. Nothing where the server has no version that we can use.
Result<std::optional<GroupKinds>> served_group_kinds(Client& client);

/// The same, asked as seldom as can be. Safe to use from many threads.
class ServedGroupKinds {
 public:
  explicit ServedGroupKinds(Client& client) : client_(client) {}

  Result<std::optional<GroupKinds>> ask();
  /// As at the last question, whoever asked it. Good until something of it is not found.
  Result<std::optional<GroupKinds>> known();

 private:
  Client& client_;
  Mutex mutex_;
  std::optional<GroupKinds> last_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::kube
