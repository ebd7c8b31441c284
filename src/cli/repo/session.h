/// One run of a verb: the repository it works on, the lock it holds there, and what ends it early.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/repo/lock.h>
#include <holdfast/repo/repository.h>

#include "repo/print/output.h"
#include "repo/settings.h"

#include <optional>
#include <stop_token>

namespace holdfast::cli {

/// Exit codes, restic's.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kIncomplete = 3,  ///< a snapshot without what could not be read, a restore without the special
  kNoRepository = 10,
  kLocked = 11,
  kWrongPassword = 12,
  kInterrupted = 130,
};

enum class LockKind { None, Shared, Exclusive };

/// Of small files that this machine keeps. Who judges or mends what is stored looks past them.
enum class Copies { Used, PassedOver };

class Session {
 public:
  Session(const Settings& settings, Output& out, std::stop_token stop);
  ~Session();

  const Settings& settings() const { return settings_; }
  Output& out() { return out_; }
  const Clock& clock() const { return clock_; }
  /// Asked to stop by a signal, or because the lock was lost.
  std::stop_token stop() const { return stop_.get_token(); }
  /// What a failure is to end with; said by who knows why.
  int code() const { return code_; }
  void set_code(int code) { code_ = code; }

  /// The repository's keys. Shared locks are not taken with --no-lock.
  Result<repo::Opened*> open(LockKind lock, Copies copies = Copies::Used);
  /// What open() gave.
  repo::Opened* opened() { return opened_.get(); }
  /// And where its blobs are.
  Result<repo::Indexed*> open_index(LockKind lock);
  /// For init.
  Result<repo::Opened*> make(const repo::InitOptions& options);
  /// Null without one.
  repo::HeldLock* held_lock() { return lock_.get(); }
  /// Removes the lock; its failure is told, not returned.
  void release();

  /// "/srv/backup", as given.
  Result<std::string> location() const;
  repo::Surroundings surroundings();
  Result<uint64_t> memory_limit() const;
  /// Where what is known of a repository is kept on this machine; "" = nowhere.
  std::filesystem::path cache_folder(const std::string& name) const;

 private:
  Result<std::shared_ptr<blob::Store>> open_store(bool create, Copies copies);
  Result<void> lock(repo::Opened& repository, LockKind kind);

  const Settings& settings_;
  Output& out_;
  SystemClock clock_{};
  SystemRandom random_{};
  std::stop_source stop_{};
  const std::stop_token asked_;
  std::optional<std::stop_callback<std::function<void()>>> on_asked_{}, on_lost_{};
  int code_ = kFailed;
  std::unique_ptr<repo::Opened> opened_{};
  std::unique_ptr<repo::Indexed> indexed_{};
  std::unique_ptr<repo::HeldLock> lock_{};  ///< last: it is given back before the rest goes
};

}  // namespace holdfast::cli
