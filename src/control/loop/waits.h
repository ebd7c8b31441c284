/// Waits of keys: what each was last told to wait for, until it has nothing to wait for any more.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/cached.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace holdfast::control {

/// Safe to use from many threads.
class Waits {
 public:
  /// Told how many keys wait for a reason, each time that changes, in the order of the changes: a
  /// gauge that is set from it never keeps an older count.
  using Count = std::function<void(const std::string& reason, int keys)>;
  explicit Waits(Count count) : count_(std::move(count)) {}

  /// An empty reason: it waits no more. True if that, or the message, is news.
  bool tell(const kube::Key& key, const std::string& reason, const std::string& message) {
    const Lock lock(mutex_);
    std::pair<std::string, std::string> before;
    if (const auto found = waits_.find(key); found != waits_.end()) {
      before = std::move(found->second);
      waits_.erase(found);
    }
    if (!reason.empty()) waits_[key] = {reason, message};
    if (before.first != reason) {
      if (!before.first.empty()) count_(before.first, --counts_[before.first]);
      if (!reason.empty()) count_(reason, ++counts_[reason]);
    }
    return before != std::pair(reason, message);
  }

 private:
  const Count count_;
  Mutex mutex_;
  std::map<kube::Key, std::pair<std::string, std::string>> waits_ HF_GUARDED_BY(mutex_);
  std::map<std::string, int> counts_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
