/// Ranges of user and group ids, one for each pod that has a user namespace.
///
///   LOCKS/<number>   held (flock) by the node that gave the range out, and by the pod's shim
///
/// So no two pods of a machine have one at the same time, also not of two nodes, or of a pod whose
/// node has died.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/base/result.h>

#include "users/user_namespace.h"

#include <filesystem>
#include <map>

namespace holdfast::node {

// Above all ids that systemd, its containers and users' sub-ids take from.
inline constexpr uint32_t kFirstId = 0x70000000, kRanges = 4094;

class UserRanges {
 public:
  /// `place` tells where it begins to look, so that two nodes seldom meet.
  UserRanges(std::filesystem::path locks, std::string_view place, uint32_t count = kRanges);
  /// The first id of a range that no pod has. Unavailable when all are taken.
  Result<uint32_t> take();
  /// One that a pod had before this node was started. `alive`: its shim lives, and holds it.
  /// Conflict: a pod of another node has it by now.
  Result<void> keep(uint32_t first, bool alive);
  void give_back(uint32_t first);
  /// For a new shim of the pod, to hold the range as long as that lives. Conflict as above.
  Result<int> lock_of(uint32_t first);

 private:
  Result<Fd> lock(uint32_t number) const;
  const std::filesystem::path locks_;
  const uint32_t count_;
  mutable Mutex mutex_;
  std::map<uint32_t, Fd> taken_ HF_GUARDED_BY(mutex_);  ///< by number
  uint32_t next_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::node
