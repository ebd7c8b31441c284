// One run of upkeep, in the pod beside the location.
//
// Which packs were read and good, and when, is remembered beside the repository, since no pod lives
// from one check to the next:
//
//   holdfast/checked    sealed with the repository's key: the record of repo/check.h
#include <holdfast/base/files.h>
#include <holdfast/base/host.h>
#include <holdfast/base/log.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/upkeep.h>
#include <holdfast/repo/check.h>
#include <holdfast/repo/lock.h>
#include <holdfast/repo/prune.h>

#include "mover/access.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kRecord = "holdfast/checked";
/// Of a message: the kubelet keeps 4 KiB of a report.
constexpr size_t kLongestMessage = 2000;
/// How long others are waited for: whoever holds a lock refreshes it within 5 minutes.
constexpr auto kLockPatience = 10min;

class Upkeep {
 public:
  Upkeep(const UpkeepTask& task, const MoverPlaces& places, std::stop_token stop)
      : task_(task), places_(places), stop_(std::move(stop)) {
    report.kind = task.kind;
  }

  Result<void> run() {
    HF_TRY(open());
    HF_TRY(lock());
    Result<void> done = task_.kind == "Prune" ? prune() : task_.kind == "Check" ? check() : ok();
    if (done) done = count();
    if (lock_)
      if (const Result<void> released = lock_->release(); !released)
        log::warn(released.error().what());
    return done;
  }

  UpkeepReport report{};

 private:
  Result<void> open() {
    const blob::Waiting waiting{clock_, random_, sleep_until_stopped(), stop_};
    HF_TRY(expect_marker(task_.access, report.reason));
    store_ = HF_TRY(open_store(task_.access, places_.secrets, {false, waiting, {}, {}}));
    const std::string password = HF_TRY(read_password(task_.access, places_.secrets));
    const Identity self = identity();
    Result<std::unique_ptr<repo::Opened>> opened = repo::open(
        store_, password, {clock_, random_, host_name(), self.user, self.uid, self.gid, self.pid});
    if (!opened) report.reason = open_trouble(*store_, opened.error());
    opened_ = HF_TRY(std::move(opened));
    HF_TRY(expect_known(task_.access, *opened_, report.reason));
    report.repository_id = opened_->config().id;
    return {};
  }

  /// Abandoned locks would stand in the way of every prune to come: whoever works refreshes its
  /// own long before it counts as such.
  Result<void> lock() {
    if (task_.kind == "Open" || task_.access.read_only) return {};
    if (const Result<int> gone = repo::unlock(*opened_, false); gone && *gone > 0)
      log::info(fmt::format("{} abandoned locks removed", *gone));
    repo::LockOptions options;
    options.retry_for = kLockPatience;
    lock_ = HF_TRY(repo::take_lock(*opened_, options, stop_));
    return {};
  }

  Result<void> prune() {
    repo::PruneOptions options;
    options.retry_for = kLockPatience;
    // What somebody has forgotten by another way than ours is there for as long.
    options.keep_delete =
        std::max(options.keep_delete, std::chrono::seconds(task_.access.keep_seconds));
    const std::unique_ptr<repo::PlannedPrune> planned = HF_TRY(repo::plan_prune(
        *opened_, options, [](const repo::PruneProgress&) {}, stop_));
    const repo::PruneResult done = HF_TRY(planned->carry_out(
        *lock_, [](const repo::PruneProgress&) {}, stop_));
    report.summary =
        fmt::format("{} packs deleted ({} bytes), {} marked for later, {} written anew",
                    done.packs_deleted, done.bytes_deleted, done.packs_marked, done.packs_written);
    return {};
  }

  Result<void> check() {
    repo::CheckOptions options;
    if (!task_.read_data_subset.empty())
      options = HF_TRY(repo::parse_subset(task_.read_data_subset));
    options.record = std::filesystem::temp_directory_path() / "checked";
    fetch_record(options.record);
    const repo::CheckResult result = HF_TRY(repo::check(
        *opened_, options, [](const repo::CheckProgress&) {}, stop_));
    if (!task_.access.read_only) keep_record(options.record);
    report.summary = fmt::format("{} snapshots, {} packs, {} of them read", result.snapshots,
                                 result.packs, result.packs_read);
    HF_TRY(look_back(result));
    return judge(result);
  }

  /// What was not remembered is only read again.
  void fetch_record(const std::filesystem::path& file) {
    const Result<std::string> sealed = store_->get(std::string(kRecord));
    if (!sealed) return;
    const Result<std::string> plain = opened_->unseal(*sealed);
    const Result<void> written = plain ? write_file(file, *plain, 0600) : plain.error().copy();
    if (!written) log::warn(fmt::format("{}: {}", kRecord, written.error().what()));
  }

  void keep_record(const std::filesystem::path& file) {
    const Result<std::string> plain = read_file(file);
    const Result<void> kept =
        plain ? store_->put(std::string(kRecord), opened_->seal(*plain)) : plain.error().copy();
    if (!kept) log::warn(fmt::format("{}: {}", kRecord, kept.error().what()));
  }

  /// Everything was good as of then. What was never read is no older than the first snapshot.
  Result<void> look_back(const repo::CheckResult& result) {
    std::optional<WallTime> oldest = result.proven;
    const auto lost = [](const repo::Id&, const Error&) {};
    const std::vector<repo::Snapshot> snapshots = HF_TRY(repo::list_snapshots(*opened_, {}, lost));
    if (!oldest && !snapshots.empty()) oldest = snapshots.front().time;
    if (oldest) report.oldest_unverified = model::to_rfc3339(*oldest);
    return {};
  }

  Result<void> judge(const repo::CheckResult& result) {
    size_t errors = 0;
    const repo::Damage* first = nullptr;
    for (const repo::Damage& damage : result.damages) {
      if (damage.hint) continue;
      if (first == nullptr) first = &damage;
      ++errors;
      log::error(fmt::format("{}: {}", damage.place, damage.what));
    }
    if (first == nullptr) return {};
    report.reason = "DamagedData";
    std::string what =
        fmt::format("{} errors, the first: {}: {}", errors, first->place, first->what);
    if (!result.affected.empty())
      what +=
          fmt::format("; {} files and folders cannot be restored as they were, the first: {}",
                      result.affected.size() + result.affected_more, result.affected.front().path);
    return Error(Fault::Corrupt, std::move(what));
  }

  Result<void> count() {
    uint64_t bytes = 0;
    HF_TRY(store_->list("", [&bytes](const blob::Info& each) { bytes += each.size; }));
    const std::vector<repo::Id> snapshots = HF_TRY(opened_->list(repo::FileType::Snapshot));
    report.size = int64_t(bytes);
    report.snapshots = int64_t(snapshots.size());
    return {};
  }

  const UpkeepTask& task_;
  const MoverPlaces& places_;
  const std::stop_token stop_;
  SystemClock clock_{};
  SystemRandom random_{};
  std::shared_ptr<blob::Store> store_;
  std::unique_ptr<repo::Opened> opened_;
  std::unique_ptr<repo::HeldLock> lock_;
};

std::string_view reason_of(Fault fault) {
  switch (fault) {
    case Fault::Denied:
      return "AccessDenied";
    case Fault::NotFound:
      return "NotFound";
    case Fault::Conflict:
      return "Locked";
    case Fault::Corrupt:
      return "DamagedData";
    case Fault::Unavailable:
      return "Unreachable";
    case Fault::Invalid:
    case Fault::Internal:
      break;
  }
  return "UpkeepFailed";
}

}  // namespace

int run_upkeep(const UpkeepTask& task, const MoverPlaces& places, std::stop_token stop) {
  Upkeep upkeep(task, places, std::move(stop));
  const Result<void> done = upkeep.run();
  UpkeepReport& report = upkeep.report;
  if (!done) {
    if (report.reason.empty()) report.reason = reason_of(done.error().fault());
    report.message = done.error().what().substr(0, kLongestMessage);
    if (!done.error().hint().empty()) report.message += fmt::format(" ({})", done.error().hint());
    report.again = done.error().transient();
    log::error(report.message);
  } else {
    log::info(fmt::format("{}: done; {}", task.kind, report.summary));
  }
  if (const Result<void> said = write_report(places.report, to_text(report)); !said)
    log::error(said.error().what());
  if (done) return 0;
  return report.again ? kUpkeepAgain : kUpkeepHopeless;
}

}  // namespace holdfast::protect
