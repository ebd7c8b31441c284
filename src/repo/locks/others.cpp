#include "locks/others.h"

#include "codec/go_json.h"
#include "open/opened.h"

#include <fmt/format.h>
#include <signal.h>

#include <cerrno>

namespace holdfast::repo {
namespace {

using namespace std::chrono_literals;

constexpr auto kStaleAfter = 30min;
constexpr int kReadings = 5;
constexpr std::chrono::milliseconds kFirstPause = 5s;

bool process_lives(int pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

bool is_stale(const LockInfo& lock, const Surroundings& around, const LockOptions& options) {
  if (around.clock.now() - lock.time > kStaleAfter) return true;
  // A pid says something only on the host that gave it out.
  if (lock.host != around.host || lock.pid <= 0) return false;
  if (lock.pid == around.pid) return false;
  return options.process_lives ? !options.process_lives(lock.pid) : !process_lives(lock.pid);
}

Result<std::vector<Id>> list_ids(Opened& repository) {
  std::vector<Id> ids;
  Result<void> listed = repository.store().list("locks/", [&ids](const blob::Info& info) {
    const auto id = Id::from_hex(std::string_view(info.name).substr(6));
    if (id && info.size > 0) ids.push_back(*id);
  });
  if (!listed) return listed.take_error().with_context("list locks");
  return ids;
}

/// Nothing if it has gone meanwhile.
Result<std::optional<LockInfo>> read_lock(Opened& repository, const Id& id,
                                          const LockOptions& options) {
  const Result<std::string> json = repository.load(FileType::Lock, id);
  if (!json && json.error().fault() == Fault::NotFound) return std::optional<LockInfo>();
  if (!json) return json.error().copy();
  LockInfo lock = HF_TRY(parse_lock(*json, id));
  lock.stale = is_stale(lock, repository.surroundings(), options);
  return std::optional(std::move(lock));
}

Error conflict(Opened& repository, const LockInfo& lock) {
  const auto age = std::chrono::duration_cast<std::chrono::minutes>(
      repository.surroundings().clock.now() - lock.time);
  return Error(Fault::Conflict,
               fmt::format("{} is locked{} by process {} of {} on {} since {} ({} min), lock {}",
                           repository.store().text(), lock.exclusive ? " exclusively" : "",
                           lock.pid, lock.user, lock.host, time_text(lock.time), age.count(),
                           lock.id.hex().substr(0, 8)))
      .with_hint(lock.stale ? "its owner seems to be gone; holdfast repo unlock removes it"
                            : "wait for it with --retry-lock; if its process is gone: "
                              "holdfast repo unlock");
}

}  // namespace

Result<void> refuse_others(Opened& repository, const LockOptions& options,
                           const std::optional<Id>& own, const std::stop_token& stop) {
  std::chrono::milliseconds pause = kFirstPause;
  for (int reading = 1;; ++reading) {
    std::optional<Error> unreadable;
    const std::vector<Id> ids = HF_TRY(list_ids(repository));
    for (const Id& id : ids) {
      if (own && id == *own) continue;
      Result<std::optional<LockInfo>> lock = read_lock(repository, id, options);
      if (!lock)
        unreadable = lock.take_error();
      else if (*lock && (options.exclusive || (*lock)->exclusive))
        return conflict(repository, **lock);
    }
    if (!unreadable) return ok();
    if (reading == kReadings || stop.stop_requested())
      return std::move(*unreadable)
          .with_hint(
              "a lock that cannot be read may belong to any process; if no process uses the "
              "repository: holdfast repo unlock --remove-all");
    options.sleep(pause, stop);
    pause *= 2;
  }
}

Result<std::vector<LockInfo>> list_locks(
    Opened& repository, const LockOptions& options,
    const std::function<void(const Id&, const Error&)>& unreadable) {
  std::vector<LockInfo> out;
  const std::vector<Id> ids = HF_TRY(list_ids(repository));
  for (const Id& id : ids) {
    const Result<std::optional<LockInfo>> lock = read_lock(repository, id, options);
    if (!lock)
      unreadable(id, lock.error());
    else if (*lock)
      out.push_back(**lock);
  }
  return out;
}

Result<int> unlock(Opened& repository, bool all, const LockOptions& options) {
  int removed = 0;
  if (all) {
    const std::vector<Id> ids = HF_TRY(repository.list(FileType::Lock));
    for (const Id& id : ids) HF_TRY(repository.remove(FileType::Lock, id));
    return int(ids.size());
  }
  const std::vector<LockInfo> locks =
      HF_TRY(list_locks(repository, options, [](const Id&, const Error&) {}));
  for (const LockInfo& lock : locks) {
    if (!lock.stale) continue;
    HF_TRY(repository.remove(FileType::Lock, lock.id));
    ++removed;
  }
  return removed;
}

}  // namespace holdfast::repo
