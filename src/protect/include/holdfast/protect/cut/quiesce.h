/// Quiesce: stops an application's writes for a moment by commands in its pods, and releases it
/// even if this operator dies.
///
///   session   one command that takes a lock, prints the line READY, and holds it until its input
///             ends. The connection is the lease: if we die, the input ends and the lock goes.
///   execute   pairs of commands, before and after. A guard stands in the container first: it runs
///             the commands after itself when its input ends, or when the deadline passes.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/streams.h>
#include <holdfast/protect/cut/quiesce_records.h>
#include <holdfast/protect/trailer.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::protect {

/// Where a command is run, and with whose rights.
struct ExecTarget {
  std::string ns{}, pod{}, container{};
  std::string account{};  ///< ServiceAccount of `ns` whose rights count; "" = our own
};

/// Opens commands in pods. Production goes through the API server; the simulation has containers of
/// its own.
class PodExec {
 public:
  virtual ~PodExec() = default;
  /// How it ended is known by its trailer alone (trailer.h).
  kube::Reply<std::unique_ptr<kube::ExecSession>> open(const ExecTarget& target,
                                                       const std::vector<std::string>& command,
                                                       std::chrono::milliseconds limit,
                                                       Counted counted = Counted::Nothing);
  /// For containers without a shell. How it ended is the servers' word, which is none for a stream
  /// that was cut.
  virtual kube::Reply<std::unique_ptr<kube::ExecSession>> open_bare(
      const ExecTarget& target, const std::vector<std::string>& command,
      std::chrono::milliseconds limit) = 0;

 private:
  virtual std::string nonce() = 0;
};
std::unique_ptr<PodExec> make_pod_exec(kube::Client& client);

/// One command of a quiesce.
struct QuiesceCommand {
  enum class Way {
    Execute,  ///< runs to its end
    Session,  ///< as above; it begins to lock at once
    Profile,  ///< a session that says HOLDFAST CONNECTED first and locks when it reads `lock`
  };
  std::string name{};
  Way way = Way::Execute;
  std::vector<std::string> args{};
  std::chrono::milliseconds timeout{30000};
  bool may_fail = false;  ///< the run goes on without it
  std::string undo{};     ///< of one after: owed only if that one before was tried in its pod
};

/// What one container has to do.
struct QuiesceTarget {
  ExecTarget where{};
  std::vector<QuiesceCommand> before{};  ///< in this order
  /// Owed once any before was tried in this container; in this pod, if this container has none.
  std::vector<QuiesceCommand> after{};
  std::vector<std::string> presync{};  ///< run before anything is held, as well as it can
};

struct QuiesceTask {
  std::vector<QuiesceTarget> targets{};
  std::chrono::milliseconds deadline{10000};  ///< from the first lock to the last release
  std::chrono::milliseconds budget{2000};     ///< for a profile to get its lock
  bool allow_unguarded = false;  ///< also where no shell can stand guard in the container
};

/// Nothing yet of what that container may owe.
inline Owed owed_in(const ExecTarget& where) {
  return {.pod = where.pod, .container = where.container};
}
/// Without a container, as earlier versions wrote it, it is of all in the pod.
inline bool is_owed_in(const Owed& owed, const ExecTarget& where) {
  return owed.pod == where.pod && (owed.container.empty() || owed.container == where.container);
}

/// One application held still, once. Not for several threads.
class Quiesce {
 public:
  Quiesce(QuiesceTask task, PodExec& exec, const Clock& clock);
  ~Quiesce();

  /// Before the window: what is written is brought to the disk, and a shell is looked for.
  void presync();
  /// Guards, sessions, commands, in all pods at once. An Error says what did not hold still, with
  /// the reason (LockNotAcquired, CommandFailed, …) in `reason()`; thaw() is due all the same.
  Result<void> freeze();
  /// Every session still holds its lock and the deadline has not passed: the reason if not.
  Result<void> still_frozen();
  /// Lets go, whatever happened before; safe to call twice.
  void thaw();

  const std::string& reason() const;
  const std::vector<QuiesceStep>& steps() const;
  const std::vector<Owed>& owed() const;          ///< after thaw()
  const std::vector<QuiesceNote>& notes() const;  ///< after thaw(), of profiles
  bool guarded() const;                           ///< every pair of commands had its guard
  /// Commands in containers without a shell, of whose end only the servers on the way have told.
  const std::vector<std::string>& unseen() const;
  /// After thaw(): a guard stays until its deadline and acts then, or a session may.
  bool lingering() const;
  /// After freeze(): from the first command to the last lock. After thaw(): from the first lock
  /// that held to the last release.
  std::chrono::microseconds acquire_time() const, window() const;
  WallTime frozen_at() const, thawed_at() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

/// One command, to its end. Why it failed, or why its end is not known; empty if it ended well.
/// Without a shell in the container it is run bare: what lets go has to be run somehow.
std::string run_in_pod(const QuiesceCommand& command, const ExecTarget& where, PodExec& exec,
                       const Clock& clock);

/// The commands after, once more, of containers that may still be quiesced: each in turn, in order.
/// After the limit none is begun, since another leader may hold the pods by then. What could not be
/// done stays owed, and what was not begun comes first, so that one that hangs keeps none waiting.
std::vector<Owed> release_owed(const std::vector<QuiesceTarget>& targets, PodExec& exec,
                               const Clock& clock, std::chrono::milliseconds limit);

}  // namespace holdfast::protect
