/// The kinds of groupsnapshot.storage.k8s.io, in the version in which this cluster has them. An
/// object is the same in all versions that are served, so that what was made in one is found in
/// another.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/client.h>

#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::drivers::volumegroup {

struct GroupKinds {
  kube::Resource snapshots = kube::kGroupSnapshots, contents = kube::kGroupSnapshotContents,
                 classes = kube::kGroupSnapshotClasses;
  bool operator==(const GroupKinds& other) const = default;
};

/// The versions that we can use of those that the group has (an APIGroup of discovery), the best
/// first.
std::vector<std::string_view> usable_versions(const model::Value& group);
/// Whether a version (an APIResourceList of discovery) has all three: while definitions are
/// replaced one after the other, it may have some.
bool has_all_kinds(const model::Value& resources);
GroupKinds kinds_in(std::string_view version);

/// What the server has of them, asked by discovery. Safe to use from many threads.
class ServedGroupKinds {
 public:
  explicit ServedGroupKinds(kube::Client& client) : client_(client) {}

  /// Nothing where the server has no version that we can use.
  Result<std::optional<GroupKinds>> ask();
  /// As at the last question, whoever asked it. Good until something of it is not found.
  Result<std::optional<GroupKinds>> known();

 private:
  Result<std::optional<GroupKinds>> discover();

  kube::Client& client_;
  Mutex mutex_;
  std::optional<GroupKinds> last_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::drivers::volumegroup
