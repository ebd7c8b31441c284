/// Locks of a repository, compatible with restic's both ways.
///
/// Exclusive: nobody else may have a lock. Otherwise: nobody may have an exclusive one. A lock is
/// written, and the others are looked at again 200 ms later: of two who came at once, at least one
/// sees the other and steps back.
#pragma once

#include <holdfast/base/sleep.h>
#include <holdfast/repo/repository.h>

#include <memory>

namespace holdfast::repo {

struct LockInfo {
  Id id{};
  WallTime time{};  ///< when it was written or last refreshed
  bool exclusive = false;
  std::string host{}, user{};
  int pid = 0;
  uint32_t uid = 0, gid = 0;
  bool stale = false;  ///< unlock() removes it
};

struct LockOptions {
  bool exclusive = false;
  /// Waits so long for others to go, looking every 5 seconds at first and every minute later.
  std::chrono::seconds retry_for{0};
  /// Refreshes it from a thread. Without, the holder calls refresh() now and then.
  bool background = true;
  Sleep sleep = sleep_until_stopped();
  /// Whether a process of this host lives. Empty: the kernel is asked.
  std::function<bool(int pid)> process_lives{};
};

/// Held until destroyed or released. The repository must outlive it.
class HeldLock {
 public:
  virtual ~HeldLock() = default;
  virtual Id id() const = 0;
  virtual bool exclusive() const = 0;
  /// Writes it anew if it is five minutes old, then removes the old one. Conflict if somebody has
  /// removed it: the lock is lost then.
  virtual Result<void> refresh() = 0;
  /// False once it was removed by somebody, or not refreshed for 22.5 minutes: others will take it
  /// for abandoned, so what needs it must end.
  virtual bool good() const = 0;
  /// Asked to stop when the lock is lost.
  virtual std::stop_token lost() const = 0;
  virtual Result<void> release() = 0;
};

/// Conflict names whose lock stands in the way, since when, and what to do. Stale locks stand in
/// the way too, as in restic: whether their owner is really gone is for a person, or for who calls
/// unlock(), to say.
Result<std::unique_ptr<HeldLock>> take_lock(Opened& repository, const LockOptions& options,
                                            const std::stop_token& stop = {});

/// Those that can be read; the others go to `unreadable`. Empty files, which a full disk leaves
/// behind, are nobody's.
Result<std::vector<LockInfo>> list_locks(
    Opened& repository, const LockOptions& options,
    const std::function<void(const Id&, const Error&)>& unreadable);

/// Removes the locks that are older than 30 minutes, and those of processes of this host that are
/// gone; if asked, all. How many.
Result<int> unlock(Opened& repository, bool all, const LockOptions& options = {});

}  // namespace holdfast::repo
