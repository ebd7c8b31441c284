// One attempt of a data move, in the pod beside the data.
#include <holdfast/base/log.h>
#include <holdfast/protect/mover.h>
#include <holdfast/repo/backup.h>
#include <holdfast/repo/restore.h>

#include "documents/document.h"
#include "mover/access.h"
#include "mover/documents.h"
#include "mover/empty_volume.h"
#include "mover/expecting.h"
#include "mover/forgetting.h"
#include "mover/pod_moves.h"
#include "mover/session.h"
#include "mover/status_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

/// One attempt, from the store to the report.
class Move {
 public:
  Move(const MoveTask& task, const MoverPlaces& places, std::stop_token stop)
      : task_(task), stop_(std::move(stop)), session_(task, places, stop_) {}

  Result<void> run() {
    StatusReport status(
        task_, session_.clock(), session_.chance(),
        [this](int64_t limit) { session_.set_limit(limit); },
        [this] { return session_.activity(); });
    status_ = &status;
    HF_TRY(session_.open());
    report.lock_id = session_.lock_id();
    report.repository_id = session_.repository_id();
    status.holds(report.lock_id, report.repository_id);
    Result<void> done = work();
    status.set(moved());
    session_.release();
    return done;
  }

  MoveReport report{};

 private:
  Result<void> work() {
    if (!task_.pod.empty()) HF_TRY(expect_shell());
    if (task_.direction == "Backup") return back_up();
    if (task_.direction == "Forget") return forget();
    return task_.document.empty() ? restore() : restore_documents();
  }

  Moved moved() const { return {total_, done_, session_.bytes_uploaded(), done_ + entries_}; }

  PodCaller pod() { return {task_, session_.clock(), session_.chance(), stop_}; }

  Result<std::string> document_to_store() {
    std::string text = asked_.document ? asked_.document->content.value_or("") : "";
    if (text.size() > kMostDocument || !is_document_text(text))
      return Error(
          Fault::Invalid,
          fmt::format("spec.document.content must be text of at most {} bytes", kMostDocument));
    return text;
  }

  /// Before anything else is run there.
  Result<void> expect_shell() {
    if (HF_TRY(has_shell(pod()))) return {};
    report.reason = "ShellRequired";
    return Error(
               Fault::Invalid,
               fmt::format("the container in pod {}/{} has no /bin/sh, without which it cannot be "
                           "seen whether all of an output came",
                           task_.ns, task_.pod))
        .with_hint("move a volume, or name a container of the pod that has a shell");
  }

  /// What is read: a folder, the output of a command, or the document.
  Result<void> choose_source(repo::BackupOptions& options) {
    if (!task_.command.empty()) {
      command_ = HF_TRY(pod().run(task_.command, false));
      options.stream = [this](char* into, size_t most) { return command_->read(into, most); };
      options.stream_name = kOutputName;
    } else if (!task_.document.empty()) {
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

  repo::BackupOptions backup_options() const {
    repo::BackupOptions options;
    options.host = task_.host;
    options.tags = task_.tags;
    options.program_version = "holdfast " HOLDFAST_VERSION;
    options.scan = true;
    // Another pod each time: what says that a file is the same must not be the inode of a copy.
    options.ignore_inode = true;
    if (task_.chunking == "Auto") options.chunks.kind = repo::ChunkPolicy::Kind::Auto;
    if (task_.chunking == "Fixed") options.chunks.kind = repo::ChunkPolicy::Kind::Fixed;
    return options;
  }

  Result<void> back_up() {
    repo::BackupOptions options = backup_options();
    if (!task_.document.empty()) {
      asked_ = HF_TRY(status_->read()).spec;
      document_ = HF_TRY(document_to_store());
    }
    const std::optional<repo::Snapshot> finished = HF_TRY(finished_before());
    // A folder is looked through again: what could not be read of it is in no snapshot.
    const bool is_folder = task_.command.empty() && task_.document.empty();
    if (finished && is_folder) {
      options.parent = finished->id.hex();
      options.skip_if_unchanged = true;
    }
    if (!task_.directory.empty()) HF_TRY(fetch_folder(pod()));
    HF_TRY(session_.load_index());
    HF_TRY(expect_snapshots(session_.index(), asked_.expects, task_.folder, report.reason));
    if (finished && !is_folder) return verify(*finished);
    HF_TRY(choose_source(options));
    Result<repo::BackupResult> made = repo::back_up(
        session_.index(), options,
        [this](const repo::BackupProgress& progress) {
          total_ = std::max(progress.bytes_total, progress.bytes_done);
          done_ = progress.bytes_done;
          entries_ = progress.files_done;
          status_->set(moved());
        },
        stop_);
    if (!made) return made.take_error();
    if (!made->errors.empty())
      return Error(Fault::Invalid, fmt::format("{} of the files could not be read: {}",
                                               made->errors.size(), made->errors.front()));
    return verify(made->snapshot ? *made->snapshot : *finished);
  }

  /// What an earlier attempt has saved, and could not tell any more.
  Result<std::optional<repo::Snapshot>> finished_before() {
    if (task_.earlier_movers.empty() || task_.own_tags.empty())
      return std::optional<repo::Snapshot>();
    std::optional<repo::Snapshot> found = HF_TRY(find_own(session_.opened(), task_.own_tags));
    if (found)
      log::info(fmt::format("snapshot {} of an earlier attempt is taken up", found->id.hex()));
    return found;
  }

  /// Read back from the store: the snapshot, all its trees, and that the index knows every blob.
  Result<void> verify(const repo::Snapshot& snapshot) {
    report.snapshot_id = snapshot.id.hex();
    if (snapshot.summary) {
      total_ = done_ = snapshot.summary->total_bytes_processed;
      report.files = int64_t(snapshot.summary->total_files_processed);
    }
    std::unique_ptr<repo::Opened> opened = HF_TRY(session_.open_again());
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
    HF_TRY(restore_to_pod(pod(), session_.index(), snapshot, [this](uint64_t bytes) {
      done_ += bytes;
      total_ = done_;
      status_->set(moved());
    }));
    report.verified = "Stream";
    return {};
  }

  /// Under a lock that others share: only names go here, and the data that a backup or a restore
  /// under way relies on is prune's to mind.
  Result<void> forget() {
    Forgotten gone =
        HF_TRY(forget_snapshots(session_.opened(), task_, session_.clock().now(), report.reason));
    model::Array forgotten;
    for (std::string& id : gone.ids) forgotten.emplace_back(std::move(id));
    report.count = gone.removed;
    HF_TRY(status_->tell({{"forgotten", std::move(forgotten)}}));
    report.verified = "Listing";
    return {};
  }

  /// They go into the status: a termination message has no room for them.
  Result<void> restore_documents() {
    HF_TRY(session_.load_index());
    const FoundDocuments found = HF_TRY(find_documents(session_.index(), task_));
    HF_TRY(status_->tell(status_of(found)));
    if (!task_.find) report.snapshot_id = found.documents.front().snapshot_id;
    report.verified = "Content";
    report.count = int64_t(found.documents.size());
    total_ = done_ = found.bytes;
    return {};
  }

  Result<void> restore() {
    HF_TRY(expect_empty());
    HF_TRY(session_.load_index());
    const repo::Snapshot snapshot =
        HF_TRY(repo::find_snapshot(session_.index().repository(), task_.snapshot, {}));
    report.snapshot_id = snapshot.id.hex();
    if (!task_.pod.empty()) return restore_in_pod(snapshot);
    repo::RestoreOptions options;
    options.target = task_.folder;
    options.subfolder = snapshot.paths.empty() ? "/" : snapshot.paths.front();
    options.verify = true;
    options.sparse = true;
    // The volume's own files come back whole: nobody makes use of them through its mount, which
    // knows no devices. Its folder is left open: a killed mover could not open it again.
    options.special = true;
    options.closed = false;
    options.delete_extra = true;
    const repo::RestoreResult done = HF_TRY(repo::restore(
        session_.index(), snapshot, options,
        [this](const repo::RestoreProgress& progress) {
          total_ = std::max(progress.bytes_total, progress.bytes_done);
          done_ = progress.bytes_done;
          entries_ = progress.files_done;
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
  void finish_report(const Result<void>& done) {
    if (!done && report.reason.empty()) report.reason = session_.trouble();
    report.bytes_done = int64_t(done_);
    report.bytes_uploaded = int64_t(session_.bytes_uploaded());
  }

 private:
  const MoveTask& task_;
  const std::stop_token stop_;
  Session session_;
  StatusReport* status_ = nullptr;
  std::unique_ptr<PodCommand> command_;
  Mover::Spec asked_{};   ///< of a document
  std::string document_;  ///< what it is to hold
  uint64_t total_ = 0, done_ = 0, entries_ = 0;
};

}  // namespace

int run_mover(const MoveTask& task, const MoverPlaces& places, std::stop_token stop) {
  Move move(task, places, std::move(stop));
  const Result<void> done = move.run();
  move.finish_report(done);
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
