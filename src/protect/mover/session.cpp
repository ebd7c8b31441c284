#include "mover/session.h"

#include <holdfast/base/host.h>
#include <holdfast/base/log.h>
#include <holdfast/repo/backup.h>

#include "mover/access.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

repo::Surroundings surroundings(const Clock& clock, Random& random) {
  const Identity self = identity();
  return {clock, random, host_name(), self.user, self.uid, self.gid, self.pid};
}

}  // namespace

Session::Session(const MoveTask& task, const MoverPlaces& places, std::stop_token stop)
    : task_(task), places_(places), stop_(std::move(stop)) {
  set_limit(task.bytes_per_second);
}

void Session::set_limit(int64_t bytes_per_second) {
  limits_->up_bytes_per_second = uint64_t(std::max<int64_t>(0, bytes_per_second));
  limits_->down_bytes_per_second = uint64_t(std::max<int64_t>(0, bytes_per_second));
}

Result<std::shared_ptr<blob::Store>> Session::open_store() {
  const blob::Waiting waiting{clock_, random_, sleep_until_stopped(), stop_};
  blob::OpenOptions options{task_.direction == "Backup" && task_.access.may_init, waiting, {}, {}};
  options.limits = limits_;
  options.s3.flown = flown_;
  std::unique_ptr<blob::Store> store =
      HF_TRY(protect::open_store(task_.access, places_.secrets, std::move(options)));
  return std::shared_ptr<blob::Store>(blob::counted(std::move(store), traffic_));
}

Result<std::unique_ptr<repo::Opened>> Session::open_again() {
  HF_TRY(expect_marker(task_.access, trouble_));
  // One store for all: it knows that its key was right once.
  if (!store_) {
    Result<std::shared_ptr<blob::Store>> there = open_store();
    if (!there && there.error().fault() == Fault::NotFound) trouble_ = "RepositoryNotFound";
    store_ = HF_TRY(std::move(there));
  }
  const std::string secret = HF_TRY(read_password(task_.access, places_.secrets));
  const repo::Surroundings around = surroundings(clock_, random_);
  Result<std::unique_ptr<repo::Opened>> opened = repo::open(store_, secret, around);
  if (!opened && opened.error().fault() == Fault::NotFound && task_.direction == "Backup" &&
      task_.access.may_init) {
    opened = repo::init(store_, secret, {}, around);
    if (!opened && opened.error().fault() == Fault::Conflict)
      opened = repo::open(store_, secret, around);
  }
  if (!opened) {
    trouble_ = open_trouble(*store_, opened.error());
    return opened;
  }
  HF_TRY(expect_known(task_.access, **opened, trouble_));
  repository_id_ = (*opened)->config().id;
  return opened;
}

uint64_t Session::activity() const {
  const blob::Traffic& traffic = *traffic_;
  return traffic.puts + traffic.gets + traffic.stats + traffic.lists + traffic.removes + *flown_;
}

Result<void> Session::open() {
  opened_ = HF_TRY(open_again());
  return task_.access.read_only ? ok() : lock();
}

/// A killed mover leaves its lock behind: those of earlier attempts, and no others, go.
Result<void> Session::lock() {
  const std::vector<repo::LockInfo> locks =
      HF_TRY(repo::list_locks(*opened_, {}, [](const repo::Id&, const Error&) {}));
  for (const repo::LockInfo& each : locks) {
    const auto& gone = task_.earlier_movers;
    if (std::find(gone.begin(), gone.end(), each.host) == gone.end()) continue;
    const Result<void> removed = opened_->remove(repo::FileType::Lock, each.id);
    if (!removed && removed.error().fault() != Fault::NotFound) return removed.error().copy();
    log::info(fmt::format("lock {} of an earlier attempt removed", each.id.hex()));
  }
  repo::LockOptions options;
  options.retry_for = std::chrono::minutes(10);
  lock_ = HF_TRY(repo::take_lock(*opened_, options, stop_));
  lock_id_ = lock_->id().hex();
  return {};
}

Result<void> Session::load_index() {
  if (!task_.earlier_movers.empty() && task_.direction == "Backup") {
    const uint64_t taken = HF_TRY(repo::take_up_packs(*opened_, stop_));
    if (taken > 0) log::info(fmt::format("{} packs of an earlier attempt are reused", taken));
  }
  index_ = HF_TRY(repo::load_index(std::move(opened_), {}));
  return {};
}

void Session::release() {
  if (!lock_) return;
  const Result<void> released = lock_->release();
  if (!released) log::warn(released.error().what());
}

}  // namespace holdfast::protect
