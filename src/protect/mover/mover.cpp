// One attempt of a data move, in the pod beside the data.
#include <holdfast/base/files.h>
#include <holdfast/base/host.h>
#include <holdfast/base/log.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/location.h>
#include <holdfast/protect/mover.h>
#include <holdfast/repo/backup.h>
#include <holdfast/repo/lock.h>
#include <holdfast/repo/restore.h>

#include "documents/document.h"
#include "mover/access.h"
#include "mover/documents.h"
#include "mover/empty_volume.h"
#include "mover/pod_moves.h"
#include "mover/status_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

/// One attempt, from the store to the report.
class Move {
 public:
  Move(const MoveTask& task, const MoverPlaces& places, std::stop_token stop)
      : task_(task), places_(places), stop_(std::move(stop)) {
    set_limit(task.bytes_per_second);
  }

  Result<void> run() {
    StatusReport status(task_, clock_, random_, [this](int64_t limit) { set_limit(limit); });
    status_ = &status;
    opened_ = HF_TRY(open());
    HF_TRY(lock());
    Result<void> done = work();
    status.set(moved());
    if (lock_) {
      const Result<void> released = lock_->release();
      if (!released) log::warn(released.error().what());
    }
    return done;
  }

  MoveReport report{};

 private:
  Result<void> work() {
    if (task_.direction == "Backup") return back_up();
    return task_.document.empty() ? restore() : restore_documents();
  }

  void set_limit(int64_t bytes_per_second) {
    limits_->up_bytes_per_second = uint64_t(std::max<int64_t>(0, bytes_per_second));
    limits_->down_bytes_per_second = uint64_t(std::max<int64_t>(0, bytes_per_second));
  }

  Moved moved() const { return {total_, done_, traffic_->bytes_up.load()}; }

  repo::Surroundings surroundings() {
    const Identity self = identity();
    return {clock_, random_, host_name(), self.user, self.uid, self.gid, self.pid};
  }

  Result<std::shared_ptr<blob::Store>> open_store() {
    const blob::Waiting waiting{clock_, random_, sleep_until_stopped(), stop_};
    blob::OpenOptions options{task_.direction == "Backup", waiting, {}, {}};
    options.limits = limits_;
    std::unique_ptr<blob::Store> store =
        HF_TRY(protect::open_store(task_.access, places_.secrets, std::move(options)));
    return std::shared_ptr<blob::Store>(blob::counted(std::move(store), traffic_));
  }

  /// Whoever backs up first makes the repository; two who come at once both find it.
  Result<std::unique_ptr<repo::Opened>> open() {
    // One store for all: it knows that its key was right once.
    if (!store_) store_ = HF_TRY(open_store());
    const std::shared_ptr<blob::Store> store = store_;
    const std::string secret = HF_TRY(read_password(task_.access, places_.secrets));
    Result<std::unique_ptr<repo::Opened>> opened = repo::open(store, secret, surroundings());
    if (!opened && opened.error().fault() == Fault::NotFound && task_.direction == "Backup") {
      opened = repo::init(store, secret, {}, surroundings());
      if (!opened && opened.error().fault() == Fault::Conflict)
        opened = repo::open(store, secret, surroundings());
    }
    if (!opened) report.reason = open_trouble(*store, opened.error());
    return opened;
  }

  /// A killed mover leaves its lock behind: those of earlier attempts, and no others, go.
  Result<void> lock() {
    if (task_.access.read_only) return {};
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
    report.lock_id = lock_->id().hex();
    status_->holds(report.lock_id);
    return {};
  }

  Result<void> load() {
    if (!task_.earlier_movers.empty() && task_.direction == "Backup") {
      const uint64_t taken = HF_TRY(repo::take_up_packs(*opened_, stop_));
      if (taken > 0) log::info(fmt::format("{} packs of an earlier attempt are taken up", taken));
    }
    index_ = HF_TRY(repo::load_index(std::move(opened_), {}));
    return {};
  }

  PodCaller pod() { return {task_, clock_, random_, stop_}; }

  /// Who made the DataMove may have changed it since it was accepted.
  Result<std::string> document_to_store() {
    const DataMove move = HF_TRY(status_->read());
    std::string text = move.spec.document ? move.spec.document->content.value_or("") : "";
    if (text.size() > kMostDocument || !is_document_text(text))
      return Error(
          Fault::Invalid,
          fmt::format("spec.document.content must be text of at most {} bytes", kMostDocument));
    return text;
  }

  /// What is read: a folder, the output of a command, or the document.
  Result<void> choose_source(repo::BackupOptions& options) {
    if (!task_.command.empty()) {
      command_ = HF_TRY(pod().run(task_.command, false));
      options.stream = [this](char* into, size_t most) { return command_->read(into, most); };
      options.stream_name = kOutputName;
    } else if (!task_.document.empty()) {
      document_ = HF_TRY(document_to_store());
      options.stream = [this, at = size_t{0}](char* into, size_t most) mutable -> Result<size_t> {
        const size_t size = document_.copy(into, most, at);
        at += size;
        return size;
      };
      options.stream_name = "/" + task_.document;
    } else {
      options.paths = {task_.folder};
    }
    return {};
  }

  Result<void> back_up() {
    repo::BackupOptions options;
    if (!task_.directory.empty()) HF_TRY(fetch_folder(pod()));
    HF_TRY(load());
    HF_TRY(choose_source(options));
    options.host = task_.host;
    options.tags = task_.tags;
    options.program_version = "holdfast " HOLDFAST_VERSION;
    options.scan = true;
    // Another pod each time: what says that a file is the same must not be the inode of a copy.
    options.ignore_inode = true;
    if (task_.chunking == "Auto") options.chunks.kind = repo::ChunkPolicy::Kind::Auto;
    if (task_.chunking == "Fixed") options.chunks.kind = repo::ChunkPolicy::Kind::Fixed;
    Result<repo::BackupResult> made = repo::back_up(
        *index_, options,
        [this](const repo::BackupProgress& progress) {
          total_ = std::max(progress.bytes_total, progress.bytes_done);
          done_ = progress.bytes_done;
          status_->set(moved());
        },
        stop_);
    if (!made) return made.take_error();
    if (!made->errors.empty())
      return Error(Fault::Invalid, fmt::format("{} of the files could not be read: {}",
                                               made->errors.size(), made->errors.front()));
    report.snapshot_id = made->snapshot->id.hex();
    total_ = done_ = uint64_t(made->summary.total_bytes_processed);
    return verify(*made->snapshot);
  }

  /// Read back from the store: the snapshot, all its trees, and that the index knows every blob.
  Result<void> verify(const repo::Snapshot& snapshot) {
    std::unique_ptr<repo::Opened> opened = HF_TRY(open());
    const std::unique_ptr<repo::Indexed> index = HF_TRY(repo::load_index(std::move(opened), {}));
    const repo::Snapshot stored =
        HF_TRY(repo::find_snapshot(index->repository(), snapshot.id.hex(), {}));
    repo::RestoreOptions options;
    options.target = "/";
    options.dry_run = true;
    const repo::RestoreResult read = HF_TRY(repo::restore(
        *index, stored, options, [](const repo::RestoreProgress&) {}, stop_));
    if (!read.errors.empty())
      return Error(Fault::Corrupt, "the snapshot cannot be read back: " + read.errors.front());
    report.verified = "Structure";
    if (task_.document.empty()) return {};
    if (HF_TRY(read_document(*index, stored, task_.document)) != document_)
      return Error(Fault::Corrupt, "the document does not read back as it was written");
    report.verified = "Content";
    return {};
  }

  /// What lies in a volume may be the last good copy: it is not written over. What an earlier
  /// attempt of this move has put there is taken up.
  Result<void> expect_empty() {
    if (!task_.earlier_movers.empty() || !task_.command.empty()) return {};
    if (!task_.directory.empty()) {
      Result<void> empty = expect_empty_folder(pod());
      if (!empty && empty.error().fault() == Fault::Invalid) report.reason = "FolderNotEmpty";
      return empty;
    }
    Result<void> empty = expect_empty_volume(task_.folder);
    if (!empty) report.reason = "VolumeNotEmpty";
    return empty;
  }

  /// What the pod made of it is not seen here: that its command ended with 0 has to do.
  Result<void> restore_in_pod(const repo::Snapshot& snapshot) {
    HF_TRY(restore_to_pod(pod(), *index_, snapshot, [this](uint64_t bytes) {
      done_ += bytes;
      total_ = done_;
      status_->set(moved());
    }));
    report.verified = "Stream";
    return {};
  }

  /// They go into the status: a termination message has no room for them.
  Result<void> restore_documents() {
    HF_TRY(load());
    const FoundDocuments found = HF_TRY(find_documents(*index_, task_));
    HF_TRY(status_->tell(status_of(found)));
    if (!task_.find) report.snapshot_id = found.documents.front().snapshot_id;
    report.verified = "Content";
    report.count = int64_t(found.documents.size());
    total_ = done_ = found.bytes;
    return {};
  }

  Result<void> restore() {
    HF_TRY(expect_empty());
    HF_TRY(load());
    const repo::Snapshot snapshot =
        HF_TRY(repo::find_snapshot(index_->repository(), task_.snapshot, {}));
    report.snapshot_id = snapshot.id.hex();
    if (!task_.pod.empty()) return restore_in_pod(snapshot);
    repo::RestoreOptions options;
    options.target = task_.folder;
    options.subfolder = snapshot.paths.empty() ? "/" : snapshot.paths.front();
    options.verify = true;
    options.sparse = true;
    options.delete_extra = true;
    const repo::RestoreResult done = HF_TRY(repo::restore(
        *index_, snapshot, options,
        [this](const repo::RestoreProgress& progress) {
          total_ = std::max(progress.bytes_total, progress.bytes_done);
          done_ = progress.bytes_done;
          status_->set(moved());
        },
        stop_));
    if (!done.errors.empty())
      return Error(Fault::Corrupt, fmt::format("{} of the files could not be restored: {}",
                                               done.errors.size(), done.errors.front()));
    report.verified = "Content";
    total_ = done_ = done.bytes_restored + done.bytes_skipped;
    return {};
  }

 public:
  void finish_report() {
    report.bytes_done = int64_t(done_);
    report.bytes_uploaded = int64_t(traffic_->bytes_up.load());
  }

 private:
  const MoveTask& task_;
  const MoverPlaces& places_;
  const std::stop_token stop_;
  SystemClock clock_{};
  SystemRandom random_{};
  const std::shared_ptr<blob::Limits> limits_ = std::make_shared<blob::Limits>();
  const std::shared_ptr<blob::Traffic> traffic_ = std::make_shared<blob::Traffic>();
  StatusReport* status_ = nullptr;
  std::shared_ptr<blob::Store> store_;
  std::unique_ptr<repo::Opened> opened_;
  std::unique_ptr<repo::Indexed> index_;
  std::unique_ptr<repo::HeldLock> lock_;
  std::unique_ptr<PodCommand> command_;
  std::string document_;  ///< what it is to hold
  uint64_t total_ = 0, done_ = 0;
};

}  // namespace

int run_mover(const MoveTask& task, const MoverPlaces& places, std::stop_token stop) {
  Move move(task, places, stop);
  const Result<void> done = move.run();
  move.finish_report();
  if (!done) {
    if (move.report.reason.empty()) move.report.reason = move_failure(done.error().fault());
    move.report.message = done.error().what();
    if (!done.error().hint().empty()) move.report.message += " (" + done.error().hint() + ")";
    move.report.again = done.error().transient();
    log::error(move.report.message);
  }
  const Result<void> said = write_report(places.report, to_text(move.report));
  if (!said) log::error(said.error().what());
  return done ? 0 : 1;
}

}  // namespace holdfast::protect
