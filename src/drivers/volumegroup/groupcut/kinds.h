/// In which version this cluster has VolumeGroupSnapshots, asked as seldom as can be.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/group_kinds.h>

#include <optional>

namespace holdfast::drivers::volumegroup {

using kube::GroupKinds;

/// Safe to use from many threads.
class ServedGroupKinds {
 public:
  explicit ServedGroupKinds(kube::Client& client) : client_(client) {}

  /// Nothing where the server has no version that we can use.
  Result<std::optional<GroupKinds>> ask();
  /// As at the last question, whoever asked it. Good until something of it is not found.
  Result<std::optional<GroupKinds>> known();

 private:
  kube::Client& client_;
  Mutex mutex_;
  std::optional<GroupKinds> last_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::drivers::volumegroup
