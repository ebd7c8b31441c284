/// Gate: read your own writes, which versions the caches must hold before a key is looked at again,
/// and other reasons not to look at it yet.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/control/write.h>
#include <holdfast/kube/informers.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace holdfast::control {

/// What one acknowledged write asks of one cache.
struct Barrier {
  kube::Informer* informer = nullptr;
  uint64_t version = 0;  ///< the cache must have come so far
  /// Of a deletion: the cache must show that object gone or going.
  std::string deleted_uid{};
  kube::Key deleted{};

  bool passed() const;
};

/// Safe to use from many threads; one key is changed by one at a time, as the queue sees to.
class Gate {
 public:
  void close(const kube::Key& key, std::vector<Barrier> barriers);
  /// Keeps the key back until then whatever changes: its own writes are among what changes.
  void hold(const kube::Key& key, MonoTime until);
  /// How much of that is left.
  std::optional<std::chrono::microseconds> held(const kube::Key& key, MonoTime now);
  /// Nothing if the key may be reconciled; otherwise for how long to put it back, growing from
  /// 10 ms to 1 s. What it waits for has usually come long before: opened_by() tells.
  std::optional<std::chrono::microseconds> closed(const kube::Key& key);
  /// Keys that waited for this cache to come as far as it now is.
  std::vector<kube::Key> opened_by(const kube::Informer& informer);

  /// A write to that object got no answer, or somebody else was first: what the server holds must
  /// be read before the next pass.
  struct Unanswered {
    kube::Resource resource{};
    kube::Key object{};
    std::string uid{};
  };
  void unanswered(const kube::Key& key, Unanswered what);
  std::optional<Unanswered> unanswered(const kube::Key& key) const;
  void answered(const kube::Key& key);

 private:
  struct Waiting {
    std::vector<Barrier> barriers{};
    int looked = 0;
  };
  mutable Mutex mutex_;
  std::map<kube::Key, Waiting> waiting_ HF_GUARDED_BY(mutex_);
  std::map<kube::Key, MonoTime> held_until_ HF_GUARDED_BY(mutex_);
  std::map<kube::Key, Unanswered> unanswered_ HF_GUARDED_BY(mutex_);
  /// By version, so that a change costs only the keys it opens.
  std::map<const kube::Informer*, std::set<std::pair<uint64_t, kube::Key>>> by_version_
      HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
