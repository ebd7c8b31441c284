// Taking a lock, keeping it fresh, giving it back. The times are restic's: a lock of ours must not
// look abandoned to it, nor its locks to us.
#include <holdfast/base/mutex.h>

#include "codec/go_json.h"
#include "locks/others.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace holdfast::repo {
namespace {

using namespace std::chrono_literals;

constexpr auto kSettle = 200ms;
constexpr auto kRefreshAfter = 5min;
constexpr auto kRetryRefreshAfter = 1min;
constexpr std::chrono::seconds kLostAfter = 22min + 30s;
constexpr std::chrono::seconds kFirstWait = 5s, kLongestWait = 60s;

class Held final : public HeldLock {
 public:
  Held(Opened& repository, LockInfo written, const LockOptions& options)
      : repository_(repository),
        sleep_(options.sleep),
        clock_(repository.surroundings().clock),
        lock_(std::move(written)),
        refreshed_(clock_.mono()) {
    if (options.background)
      thread_ = std::jthread([this](const std::stop_token& stop) { keep_fresh(stop); });
  }
  ~Held() override { (void)bool(release()); }

  Id id() const override {
    const Lock held(mutex_);
    return lock_.id;
  }

  bool exclusive() const override {
    const Lock held(mutex_);
    return lock_.exclusive;
  }

  Result<void> refresh() override {
    const Lock held(mutex_);
    if (released_ || clock_.mono() - refreshed_ < kRefreshAfter) return ok();
    const std::string place = fmt::format("locks/{}", lock_.id.hex());
    const Result<blob::Info> there = repository_.store().stat(place);
    if (!there && there.error().fault() == Fault::NotFound) {
      lost_.request_stop();
      return Error(Fault::Conflict,
                   fmt::format("refresh {}: another process has removed it", place));
    }
    LockInfo fresh = lock_;
    fresh.time = clock_.now();
    const MonoTime at = clock_.mono();
    fresh.id = HF_TRY(repository_.save(FileType::Lock, to_json(fresh)));
    const Id old = std::exchange(lock_, fresh).id;
    refreshed_ = at;
    return repository_.remove(FileType::Lock, old);
  }

  bool good() const override {
    const Lock held(mutex_);
    return !released_ && !lost_.stop_requested() && clock_.mono() - refreshed_ < kLostAfter;
  }

  std::stop_token lost() const override { return lost_.get_token(); }

  Result<void> release() override {
    thread_.request_stop();
    if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
    const Lock held(mutex_);
    if (std::exchange(released_, true)) return ok();
    return repository_.remove(FileType::Lock, lock_.id);
  }

 private:
  void keep_fresh(const std::stop_token& stop) {
    std::chrono::milliseconds wait = kRefreshAfter;
    while (!stop.stop_requested()) {
      sleep_(wait, stop);
      if (stop.stop_requested()) return;
      wait = refresh() ? kRefreshAfter : kRetryRefreshAfter;
      if (good()) continue;
      lost_.request_stop();
      return;
    }
  }

  Opened& repository_;
  const Sleep sleep_;
  const Clock& clock_;
  mutable Mutex mutex_;
  LockInfo lock_ HF_GUARDED_BY(mutex_);
  MonoTime refreshed_ HF_GUARDED_BY(mutex_);
  bool released_ HF_GUARDED_BY(mutex_) = false;
  std::stop_source lost_;
  std::jthread thread_;
};

Result<LockInfo> try_once(Opened& repository, const LockOptions& options,
                          const std::stop_token& stop) {
  HF_TRY(refuse_others(repository, options, {}, stop));
  const Surroundings& around = repository.surroundings();
  LockInfo own{.time = around.clock.now(),
               .exclusive = options.exclusive,
               .host = around.host,
               .user = around.user,
               .pid = around.pid,
               .uid = around.uid,
               .gid = around.gid};
  own.id = HF_TRY(repository.save(FileType::Lock, to_json(own)));
  // Each writes its lock before it looks for others, so of two at least one sees the other; a
  // store whose listings lag is given the time that restic gives it.
  if (!repository.store().lists_at_once()) options.sleep(kSettle, stop);
  Result<void> alone = refuse_others(repository, options, own.id, stop);
  if (alone) return own;
  Result<void> removed = repository.remove(FileType::Lock, own.id);
  if (!removed) return alone.take_error().with_context(removed.error().what());
  return alone.take_error();
}

}  // namespace

Result<std::unique_ptr<HeldLock>> take_lock(Opened& repository, const LockOptions& options,
                                            const std::stop_token& stop) {
  const Clock& clock = repository.surroundings().clock;
  const MonoTime end = clock.mono() + options.retry_for;
  std::chrono::milliseconds wait = kFirstWait;
  for (;;) {
    Result<LockInfo> taken = try_once(repository, options, stop);
    if (taken)
      return std::unique_ptr<HeldLock>(std::make_unique<Held>(repository, taken.take(), options));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock.mono());
    if (taken.error().fault() != Fault::Conflict || left <= 0ms || stop.stop_requested())
      return taken.take_error();
    options.sleep(std::min(wait, left), stop);
    wait = std::min<std::chrono::milliseconds>(2 * wait, kLongestWait);
  }
}

}  // namespace holdfast::repo
