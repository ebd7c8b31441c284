/// Pods being quiesced, and for which object, over all drivers of one operator, so that no two
/// windows of a pod overlap. The objects themselves say what an operator before this one left
/// quiesced: that is learnt before the first pod is given to any of them.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/client.h>
#include <holdfast/protect/cut/records.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace holdfast::protect {

/// An object with the pods that it keeps for itself. An owner is KIND NAMESPACE/NAME.
struct PodHolder {
  std::string owner{};
  std::vector<PodRecord> pods{};
};
std::string pod_owner(const kube::Resource& resource, const kube::Key& key);

/// The holders of one kind. Asks the server: a cache may not know yet what an operator before this
/// one began last, and since it is none any more nothing comes after that.
using FindHolders = std::function<Result<std::vector<PodHolder>>()>;
/// By what each object of the kind says of its run (pods_kept in owed.h).
FindHolders find_holders(kube::Client& client, const kube::Resource& resource, const Clock& clock);

/// Safe to use from many threads.
class HeldPods {
 public:
  /// Once for each kind, before the first pod is taken.
  void learn_from(FindHolders find);
  /// False if another owner has one of them; otherwise all are this one's.
  Result<bool> take(const std::string& owner, const std::vector<PodRecord>& pods);
  /// By an owner that is sure to need none any more: what a cache that lags says is no reason.
  void release(const std::string& owner);

 private:
  Result<void> learn();

  Mutex mutex_;
  std::map<std::string, std::string> holder_ HF_GUARDED_BY(mutex_);  ///< owner by the pod's uid
  std::map<int, FindHolders> unasked_ HF_GUARDED_BY(mutex_);
  std::set<std::string> released_ HF_GUARDED_BY(mutex_);  ///< while some are unasked
  int kinds_ HF_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::protect
