/// Locks that restic honours, and restic's that we honour.
#pragma once

#include <holdfast/repo/repository.h>

#include <memory>

namespace holdfast::repo {

struct LockInfo {
  Id id{};
  WallTime time{};
  bool exclusive = false;
  std::string host{}, user{};
  int pid = 0;
};

/// Held until destroyed, which removes it. refresh() replaces it when five minutes have passed; a
/// lock that could not be refreshed for 22.5 minutes is lost, and good() says so.
class HeldLock {
 public:
  virtual ~HeldLock() = default;
  virtual Id id() const = 0;
  virtual Result<void> refresh() = 0;
  virtual bool good() const = 0;
};

/// Conflict names whose lock stands in the way, since when, and what to do. `retry_for` waits.
/// Written, then looked again after 200 ms: of two who came at once, at least one sees the other.
Result<std::unique_ptr<HeldLock>> take_lock(
    Opened& repository, bool exclusive, std::chrono::seconds retry_for,
    const std::function<void(std::chrono::milliseconds)>& sleep);
Result<std::vector<LockInfo>> list_locks(Opened& repository);
/// Locks older than 30 minutes, or of a process of this host that is gone; all of them if asked.
Result<int> unlock(Opened& repository, bool all);

}  // namespace holdfast::repo
