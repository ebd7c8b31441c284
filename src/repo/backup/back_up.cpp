// One backup from beginning to end: parent, data, trees, index, snapshot.
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>

#include "backup/archiver.h"
#include "codec/go_json.h"
#include "hash/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace holdfast::repo {
namespace {

constexpr auto kProgressEvery = std::chrono::milliseconds(100);

std::string local_text(WallTime time) {
  const auto micros = time.time_since_epoch().count();
  const int64_t seconds = micros >= 0 ? micros / 1000000 : (micros - 999999) / 1000000;
  std::string out;
  append_time(out, local_time(seconds, int32_t((micros - seconds * 1000000) * 1000)));
  return out;
}

/// The newest one of the same host and paths, or the one that was named.
Result<std::optional<Snapshot>> find_parent(Opened& repository, const BackupOptions& options,
                                            const Snapshot& ours) {
  if (!options.parent.empty()) {
    Snapshot named = HF_TRY(find_snapshot(repository, options.parent, {}));
    return std::optional<Snapshot>(std::move(named));
  }
  const std::vector<Snapshot> all =
      HF_TRY(list_snapshots(repository, {}, [](const Id&, const Error&) {}));
  const auto sorted = [](std::vector<std::string> list) {
    std::sort(list.begin(), list.end());
    return list;
  };
  std::optional<Snapshot> newest;
  for (const Snapshot& one : all) {
    if (one.time > ours.time) continue;
    if (options.parent_by_host && one.host != ours.host) continue;
    if (options.parent_by_paths && sorted(one.paths) != sorted(ours.paths)) continue;
    if (options.parent_by_tags && sorted(one.tags) != sorted(ours.tags)) continue;
    newest = one;
  }
  return newest;
}

/// What the snapshot says of itself before anything is read.
Snapshot describe(const Opened& repository, const BackupOptions& options,
                  const std::vector<std::string>& paths) {
  const Surroundings& around = repository.surroundings();
  Snapshot out;
  out.time = options.time.value_or(around.clock.now());
  out.time_text = local_text(out.time);
  out.paths = paths;
  out.excludes = options.excludes;
  for (const std::string& pattern : options.insensitive_excludes) out.excludes.push_back(pattern);
  out.tags = options.tags;
  out.host = options.host.empty() ? around.host : options.host;
  out.user = around.user;
  out.uid = around.uid;
  out.gid = around.gid;
  out.program_version = options.program_version;
  return out;
}

/// One for each repository, host and set of paths.
std::string journal_path(const Opened& repository, const BackupOptions& options,
                         const Snapshot& snapshot) {
  if (options.resume_folder.empty() || options.dry_run || options.stream) return "";
  std::string what = repository.config().id + "\n" + snapshot.host;
  for (const std::string& path : snapshot.paths) what += "\n" + path;
  return fmt::format("{}/{}", options.resume_folder, hash(what).hex());
}

/// How many parts of large files may be in memory beside all that a backup needs anyway: packs that
/// are open or on their way, a frame and a sealed chunk for each thread, small files.
Result<size_t> part_buffers(const BackupOptions& options) {
  constexpr uint64_t kOpenPacks = 2, kFewest = 4, kMost = 32, kRest = uint64_t{24} << 20;
  const uint64_t packs = kOpenPacks + PackerSettings().uploads + 1;
  const uint64_t threads = uint64_t(options.read_concurrency);
  const uint64_t needed = packs * (options.pack_size + (uint64_t{1} << 20)) +
                          threads * (2 * kMostChunk + 5 * kLeastChunk) + kRest;
  const uint64_t least = needed + kFewest * kPart;
  if (options.memory_limit < least)
    return Error(Fault::Invalid, fmt::format("a backup needs {} MiB of memory here, {} are allowed",
                                             (least >> 20) + 1, options.memory_limit >> 20))
        .with_hint("raise --memory-limit, or lower --pack-size or --read-concurrency");
  return size_t(std::min((options.memory_limit - needed) / kPart, kMost));
}

SnapshotSummary summary_of(const ArchiverFigures& seen, const SaverFigures& stored) {
  SnapshotSummary out;
  out.files_new = seen.files_new;
  out.files_changed = seen.files_changed;
  out.files_unmodified = seen.files_unmodified;
  out.dirs_new = seen.dirs_new;
  out.dirs_changed = seen.dirs_changed;
  out.dirs_unmodified = seen.dirs_unmodified;
  out.data_blobs = stored.data_blobs;
  out.tree_blobs = stored.tree_blobs;
  out.data_added = stored.data_added;
  out.data_added_packed = stored.data_added_packed;
  out.total_files_processed = seen.files;
  out.total_bytes_processed = seen.bytes;
  return out;
}

BackupProgress progress_of(const Archiver& archiver, const SnapshotSummary& past,
                           const ScanFigures& found) {
  BackupProgress now;
  now.files_done = archiver.figures().files;
  now.bytes_done = archiver.figures().bytes;
  now.errors = archiver.errors();
  now.current = archiver.current();
  now.files_total = std::max({now.files_done, past.total_files_processed, found.files.load()});
  now.bytes_total = std::max({now.bytes_done, past.total_bytes_processed, found.bytes.load()});
  now.total_known = past.total_files_processed > 0 || found.complete;
  return now;
}

/// Runs the work beside the caller's thread, which tells how it goes.
Result<Id> run(Archiver& archiver, const std::function<Result<Id>()>& work,
               const SnapshotSummary& past, const ScanFigures& found,
               const std::function<void(const BackupProgress&)>& progress) {
  Mutex mutex;
  CondVar finished;
  std::optional<Result<Id>> outcome;
  const std::jthread thread([&] {
    Result<Id> done = work();
    const Lock lock(mutex);
    outcome = std::move(done);
    finished.notify_all();
  });
  for (;;) {
    const bool over = [&] {
      const Lock lock(mutex);
      if (!outcome) finished.wait_for(mutex, kProgressEvery);
      return outcome.has_value();
    }();
    progress(progress_of(archiver, past, found));
    if (over) break;
  }
  const Lock lock(mutex);
  return std::move(*outcome);
}

Result<std::vector<std::string>> check_targets(const BackupOptions& options) {
  if (options.stream) return std::vector<std::string>{options.stream_name};
  std::vector<std::string> paths;
  for (const std::string& path : options.paths) {
    std::string whole = absolute_path(path);
    if (is_there(path) && std::find(paths.begin(), paths.end(), whole) == paths.end())
      paths.push_back(std::move(whole));
  }
  if (paths.empty())
    return Error(Fault::Invalid,
                 options.paths.empty()
                     ? std::string("nothing to back up: no path was given")
                     : fmt::format("nothing to back up: {} is not there", options.paths.front()));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<BackupResult> back_up(Indexed& index, const BackupOptions& options,
                             const std::function<void(const BackupProgress&)>& progress,
                             std::stop_token stop) {
  auto& known = static_cast<IndexedRepository&>(index);
  Opened& repository = index.repository();
  const std::vector<std::string> paths = HF_TRY(check_targets(options));
  Patterns excludes = HF_TRY(Patterns::parse(options.excludes, false));
  Patterns insensitive = HF_TRY(Patterns::parse(options.insensitive_excludes, true));
  const size_t buffers = HF_TRY(part_buffers(options));
  BackupResult result;
  Snapshot snapshot = describe(repository, options, paths);
  const std::optional<Snapshot> parent = HF_TRY(find_parent(repository, options, snapshot));
  // Who reads everything again does not build on it; where chunks may end it still says.
  if (parent && !options.force) result.parent = snapshot.parent = parent->id;
  result.summary.backup_start = local_text(repository.surroundings().clock.now());

  Journal journal(journal_path(repository, options, snapshot));
  Saver saver(known, options);
  Archiver archiver(known, saver, options, std::move(excludes), std::move(insensitive), journal,
                    buffers);
  const Target targets = make_targets(options.paths);
  const std::optional<Id> before = parent ? std::optional<Id>(parent->tree) : std::nullopt;
  const auto work = [&]() -> Result<Id> {
    const Id tree = HF_TRY(options.stream ? archiver.archive_stream()
                                          : archiver.archive(targets, before, stop));
    HF_TRY(saver.finish());
    // Whoever asked for an end is told that it came before the snapshot.
    if (stop.stop_requested() && wall_stands("end of a run"))
      return Error(Fault::Unavailable, "the backup was interrupted");
    return tree;
  };
  const SnapshotSummary past = parent && parent->summary ? *parent->summary : SnapshotSummary();
  ScanFigures found;
  std::jthread scanner;
  if (options.scan && !options.stream && past.total_files_processed == 0)
    scanner =
        std::jthread([&](const std::stop_token& over) { archiver.scan(targets, over, found); });
  Result<Id> tree = run(archiver, work, past, found, progress);
  scanner = {};  // asks it to stop, and waits
  if (!tree) {
    saver.abandon();
    journal.flush();
    return tree.take_error();
  }
  snapshot.tree = *tree;
  const std::string started = result.summary.backup_start;
  result.summary = summary_of(archiver.figures(), saver.figures());
  result.summary.backup_start = started;
  result.summary.backup_end = local_text(repository.surroundings().clock.now());
  result.errors = archiver.take_errors();
  const bool nothing_new = options.skip_if_unchanged && parent && parent->tree == snapshot.tree;
  if (options.dry_run || nothing_new) return result;
  snapshot.summary = result.summary;
  HF_TRY(save_snapshot(repository, snapshot));
  journal.remove();
  result.snapshot = std::move(snapshot);
  return result;
}

}  // namespace holdfast::repo
