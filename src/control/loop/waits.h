/// Waits of keys: what each was last told to wait for, until it has nothing to wait for any more.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/cached.h>

#include <map>
#include <string>
#include <utility>

namespace holdfast::control {

/// Safe to use from many threads.
class Waits {
 public:
  struct News {
    bool is_news = false;
    std::string ended{};  ///< the reason that the key waited for before; "" = none, or the same
    int left = 0;         ///< keys that still wait for that
    int waiting = 0;      ///< keys that wait for the new one
  };
  /// An empty reason: it waits no more.
  News tell(const kube::Key& key, const std::string& reason, const std::string& message) {
    const Lock lock(mutex_);
    std::pair<std::string, std::string> before;
    if (const auto found = waits_.find(key); found != waits_.end()) {
      before = std::move(found->second);
      waits_.erase(found);
    }
    if (!reason.empty()) waits_[key] = {reason, message};
    News out{.is_news = before != std::pair(reason, message)};
    if (before.first == reason) return out;
    if (!reason.empty()) out.waiting = ++counts_[reason];
    if (before.first.empty()) return out;
    out.left = --counts_[before.first];
    out.ended = std::move(before.first);
    return out;
  }

 private:
  Mutex mutex_;
  std::map<kube::Key, std::pair<std::string, std::string>> waits_ HF_GUARDED_BY(mutex_);
  std::map<std::string, int> counts_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
