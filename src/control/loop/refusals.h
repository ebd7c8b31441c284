/// Refusals of keys: what the server will not have of what is done for an object, told on the
/// object itself, where people look for it before they look into an operator's log:
///
///   status.conditions[]:
///     type      as the controller chose it: Refused
///     status    True
///     reason    the server's: Forbidden, Invalid, AlreadyExists, …
///     message   "create pods shop/m-x7k2d: pods "m-x7k2d" is forbidden: exceeded quota: …"
///
/// It comes when a key has been refused for a second: what a new namespace lacks, such as its
/// ServiceAccounts, comes by itself. It goes with the first pass that wants nothing any more that
/// is refused.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/control/write.h>

#include <map>
#include <optional>
#include <string>

namespace holdfast::control {

/// Safe to use from many threads.
class Refusals {
 public:
  /// Of the objects of that resource; without a condition nothing is told.
  Refusals(const kube::Resource& resource, std::string condition)
      : resource_(resource), condition_(std::move(condition)) {}

  struct Refused {
    std::string what{};  ///< the write, or "" for what could not be read
    std::string reason{}, message{};
  };
  void refused(const kube::Key& key, Refused how, MonoTime now);
  /// A write of it succeeded, and everything that was read before.
  void accepted(const kube::Key& key, std::string_view what);
  /// Nothing is wanted of it now.
  void rested(const kube::Key& key);

  /// What tells it; nothing if it is told already, or too new.
  std::optional<Write> tell(const kube::Key& key, const kube::Cached& object, WallTime now,
                            MonoTime mono) const;
  /// What takes the word back from an object that has it.
  std::optional<Write> take_back(const kube::Cached& object) const;

 private:
  struct Known {
    Refused how{};
    MonoTime since{};
  };
  const kube::Resource resource_;
  const std::string condition_;
  mutable Mutex mutex_;
  std::map<kube::Key, Known> known_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
