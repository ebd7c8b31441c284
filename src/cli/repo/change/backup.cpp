// `backup`: paths or a stream become a snapshot.
#include <holdfast/base/mutex.h>
#include <holdfast/base/process.h>
#include <holdfast/cli/words.h>

#include "repo/change/backup_options.h"
#include "repo/choice.h"
#include "repo/print/json_object.h"
#include "repo/print/progress.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using Stream = std::function<Result<size_t>(char*, size_t)>;

Stream standard_input(const std::stop_token& stop) {
  return [stop](char* into, size_t most) { return read_input(into, most, stop); };
}

/// What a program prints. If it fails in the end, so does the backup: half a dump is none.
Result<Stream> printed_by(const std::vector<std::string>& words, const std::stop_token& stop) {
  if (words.empty())
    return Error(Fault::Invalid, "--stdin-from-command: of which program?")
        .with_hint("write it after --");
  auto process = std::make_shared<Process>(HF_TRY(Process::start(words)));
  auto ended = std::make_shared<bool>(false);
  return Stream([process, ended, stop](char* into, size_t most) -> Result<size_t> {
    if (*ended) return size_t{0};
    const size_t got = HF_TRY(process->read(into, most, stop));
    if (got > 0) return got;
    *ended = true;
    HF_TRY(process->finish());
    return size_t{0};
  });
}

/// What is told while it runs. Files are told of from any thread.
class View {
 public:
  explicit View(Session& session) : out_(session.out()), progress_(session) {}

  void status(const repo::BackupProgress& now);
  void item(repo::Change change, const std::string& path, uint64_t size);
  bool speaks() const { return progress_.speaks(); }
  std::chrono::duration<double> elapsed() const { return progress_.elapsed(); }
  void end() { progress_.clear(); }

 private:
  void status_line(const repo::BackupProgress& now);

  Output& out_;
  Mutex mutex_;
  Progress progress_;
};

void View::status(const repo::BackupProgress& now) {
  const Lock lock(mutex_);
  if (!progress_.due()) return;
  if (out_.json()) return status_line(now);
  // Until all is counted nobody knows how much of it is done.
  const std::string of = now.total_known ? fmt::format(" of {}", now.files_total) : "";
  progress_.bytes(now.bytes_done, now.total_known ? now.bytes_total : 0,
                  fmt::format("{}{} files, {} errors", now.files_done, of, now.errors));
}

void View::status_line(const repo::BackupProgress& now) {
  JsonObject line;
  line.text("message_type", "status")
      .number("seconds_elapsed", uint64_t(progress_.elapsed().count()));
  const auto left = progress_.remaining(now.bytes_done, now.total_known ? now.bytes_total : 0);
  if (left) line.number("seconds_remaining", uint64_t(left->count()));
  const bool share_known = now.total_known && now.bytes_total > 0;
  line.real("percent_done", share_known ? double(now.bytes_done) / double(now.bytes_total) : 0);
  line.number("total_files", now.files_total);
  line.number("files_done", now.files_done).number("total_bytes", now.bytes_total);
  line.number("bytes_done", now.bytes_done);
  if (now.errors > 0) line.number("error_count", now.errors);
  if (!now.current.empty()) line.texts("current_files", {now.current});
  out_.line(line.take());
}

void View::item(repo::Change change, const std::string& path, uint64_t size) {
  const std::string word = change == repo::Change::New        ? "new"
                           : change == repo::Change::Modified ? "modified"
                                                              : "unchanged";
  const Lock lock(mutex_);
  if (out_.json()) {
    JsonObject line;
    line.text("message_type", "verbose_status").text("action", word);
    return out_.line(line.text("item", path).number("data_size", size).take());
  }
  progress_.clear();
  const std::string details = path.ends_with('/') ? "" : fmt::format(" ({})", size_text(size));
  out_.line(fmt::format("{:9} {}{}", word, out_.shown(path), details));
}

std::string summary_json(const repo::BackupResult& result, double seconds, bool dry_run) {
  const repo::SnapshotSummary& sum = result.summary;
  JsonObject out;
  out.text("message_type", "summary");
  out.number("files_new", sum.files_new).number("files_changed", sum.files_changed);
  out.number("files_unmodified", sum.files_unmodified).number("dirs_new", sum.dirs_new);
  out.number("dirs_changed", sum.dirs_changed).number("dirs_unmodified", sum.dirs_unmodified);
  out.number("data_blobs", sum.data_blobs).number("tree_blobs", sum.tree_blobs);
  out.number("data_added", sum.data_added).number("data_added_packed", sum.data_added_packed);
  out.number("total_files_processed", sum.total_files_processed);
  out.number("total_bytes_processed", sum.total_bytes_processed).real("total_duration", seconds);
  out.text("backup_start", sum.backup_start).text("backup_end", sum.backup_end);
  if (result.snapshot) out.text("snapshot_id", result.snapshot->id.hex());
  if (dry_run) out.flag("dry_run", true);
  return out.take();
}

void print_summary(Output& out, const repo::BackupResult& result,
                   std::chrono::duration<double> elapsed, bool dry_run) {
  const repo::SnapshotSummary& sum = result.summary;
  out.remark(fmt::format("\nFiles:       {:5} new, {:5} changed, {:5} unmodified", sum.files_new,
                         sum.files_changed, sum.files_unmodified));
  out.remark(fmt::format("Dirs:        {:5} new, {:5} changed, {:5} unmodified", sum.dirs_new,
                         sum.dirs_changed, sum.dirs_unmodified));
  if (out.verbose() > 0)
    out.remark(result.parent ? "compared with parent snapshot " + short_id(*result.parent)
                             : "no parent snapshot: all files were read");
  if (out.verbose() > 0)
    out.remark(fmt::format("Data Blobs:  {:5} new\nTree Blobs:  {:5} new", sum.data_blobs,
                           sum.tree_blobs));
  out.remark(fmt::format("{} to the repository: {} ({} stored)\n", dry_run ? "Would add" : "Added",
                         size_text(sum.data_added), size_text(sum.data_added_packed)));
  const double seconds = std::max(elapsed.count(), 0.001);
  out.remark(fmt::format("processed {} files, {} in {}, {}/s", sum.total_files_processed,
                         size_text(sum.total_bytes_processed),
                         clock_text(std::chrono::seconds(int64_t(seconds))),
                         size_text(uint64_t(double(sum.total_bytes_processed) / seconds))));
  if (result.snapshot)
    out.remark(fmt::format("snapshot {} saved", short_id(result.snapshot->id)));
  else
    out.remark(dry_run ? "dry run: nothing was written" : "nothing changed: no snapshot was made");
}

void print_error(Output& out, const std::string& error) {
  if (!out.json()) {
    out.warn("error: " + error);
    return;
  }
  JsonObject line;
  line.text("message_type", "error").raw("error", JsonObject().text("message", error).take());
  fmt::print(stderr, "{}\n", line.text("during", "archival").take());
}

Result<int> back_up(const BackupFlags& flags, Session& session) {
  if (session.settings().no_lock && !flags.engine.dry_run)
    return Error(Fault::Invalid, "--no-lock is for reading: a prune could take what a backup needs")
        .with_hint("leave it out");
  repo::BackupOptions options = HF_TRY(backup_options(flags, session));
  if (flags.from_stdin) options.stream = standard_input(session.stop());
  repo::Indexed* index =
      HF_TRY(session.open_index(options.dry_run ? LockKind::None : LockKind::Shared));
  const auto notes = session.cache_folder(index->repository().config().id);
  if (!notes.empty()) options.resume_folder = notes / "resume";
  // Started last: a program's output is not to wait for a password.
  if (flags.from_command) options.stream = HF_TRY(printed_by(flags.paths, session.stop()));
  Output& out = session.out();
  View view(session);
  options.scan = view.speaks() && !flags.no_scan;
  if (out.verbose() > 1)
    options.item = [&view](repo::Change change, const std::string& path, uint64_t size) {
      view.item(change, path, size);
    };
  Result<repo::BackupResult> made = repo::back_up(
      *index, options, [&view](const repo::BackupProgress& now) { view.status(now); },
      session.stop());
  view.end();
  if (!made) return made.take_error();
  for (const std::string& error : made->errors) print_error(out, error);
  if (out.json())
    out.line(summary_json(*made, view.elapsed().count(), options.dry_run));
  else
    print_summary(out, *made, view.elapsed(), options.dry_run);
  if (made->errors.empty()) return kDone;
  out.warn("the snapshot is incomplete: some of what was asked for could not be read");
  return kIncomplete;
}

}  // namespace

void add_backup(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("backup", "makes a snapshot of files, folders or a stream");
  auto flags = std::make_shared<BackupFlags>();
  add_backup_flags(verb, *flags);
  verbs.run(verb, [flags](Session& session) { return back_up(*flags, session); });
}

}  // namespace holdfast::cli
