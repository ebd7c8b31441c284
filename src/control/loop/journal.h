/// Journal of operations, one step at a time: intent, effect, outcome.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/control/operation.h>
#include <holdfast/control/write.h>

#include <map>
#include <optional>

namespace holdfast::control {

/// What the status says comes first; beside it, what this process alone can know: that it wrote the
/// intent itself and has not begun, and how an effect ended whose outcome could not be written.
/// Safe to use from many threads.
class Journal {
 public:
  enum class Next {
    Intent,    ///< record that it will begin
    Run,       ///< the intent stands: begin
    TakeOver,  ///< an intent of an earlier process: ask the server whether it still stands
    Outcome,   ///< it ended; `unwritten` says how
    Defect,    ///< this attempt has ended before, or a later one was begun
  };
  Next next(const kube::Key& key, const Operation& operation);
  /// Once the server says that the owner is as it was seen: Run, or Outcome of what must not run
  /// twice.
  Next take_over(const kube::Key& key, const Operation& operation, WallTime now);
  Write intent(const kube::Key& key, const Operation& operation, WallTime now);
  /// From here on only the status knows of the intent.
  void begins(const kube::Key& key);
  void ended(const kube::Key& key, const Operation& operation, Result<model::Value> how,
             WallTime now);
  /// The write of an outcome and, of a failure, why.
  struct Outcome {
    Write write{};
    bool failed = false;
    std::string why{};
  };
  Outcome outcome(const kube::Key& key, const Operation& operation);
  /// Once the outcome stands in the status, or nobody asks for the operation any more.
  void forget(const kube::Key& key);

 private:
  struct Attempt {
    std::string uid{}, name{};
    int64_t number = 0;
    bool operator==(const Attempt&) const = default;
  };
  struct Ended {
    Attempt attempt{};
    OperationRecord record{};
  };
  static Attempt attempt_of(const Operation& operation);

  Mutex mutex_;
  std::map<kube::Key, Attempt> intended_ HF_GUARDED_BY(mutex_);
  std::map<kube::Key, Ended> unwritten_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
