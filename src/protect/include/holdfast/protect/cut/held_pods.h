/// Pods being quiesced, and for which object, over all drivers of one operator, so that no two
/// windows of a pod overlap.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/protect/cut/records.h>

#include <map>
#include <string>
#include <vector>

namespace holdfast::protect {

/// Safe to use from many threads. An owner is KIND/NAMESPACE/NAME.
class HeldPods {
 public:
  /// False if another owner has one of them; otherwise all are this one's.
  bool take(const std::string& owner, const std::vector<PodRecord>& pods);
  void release(const std::string& owner);

 private:
  Mutex mutex_;
  std::map<std::string, std::string> holder_ HF_GUARDED_BY(mutex_);  ///< owner by the pod's uid
};

}  // namespace holdfast::protect
