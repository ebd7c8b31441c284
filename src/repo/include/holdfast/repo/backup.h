/// Backup of files, streams and block devices into a repository.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <stop_token>

namespace holdfast::repo {

/// How data is cut. Rabin's cuts are restic's. Fixed sizes suit pages: a changed page costs one
/// chunk. Auto: fixed for files that are databases by their beginning, Rabin for all others.
struct ChunkPolicy {
  enum class Kind { Rabin, Fixed, Auto } kind = Kind::Rabin;
  uint32_t fixed_size = 64 * 1024;
};

enum class Compression { Auto, Off, Fastest, Better, Max };

/// Compared with the parent snapshot.
enum class Change { New, Modified, Unchanged };

struct BackupOptions {
  std::vector<std::string> paths{};
  std::vector<std::string> excludes{}, insensitive_excludes{};  ///< restic's patterns
  std::vector<std::string> exclude_if_present{};                ///< NAME or NAME:HEADER
  uint64_t exclude_larger_than = 0;
  bool exclude_caches = false, one_file_system = false;
  std::vector<std::string> tags{};
  std::string host{}, program_version{};
  std::optional<WallTime> time{};
  std::string parent{};  ///< "" = the newest of the same host, paths or tags, as these say
  bool parent_by_host = true, parent_by_paths = true, parent_by_tags = false;
  bool force = false;  ///< reads everything
  bool ignore_inode = false, ignore_ctime = false, with_atime = false;
  bool skip_if_unchanged = false, dry_run = false;
  ChunkPolicy chunks{};
  /// Block devices among the paths, or behind links that are: their content, as images.
  bool read_special = false;
  /// Larger files are stored as images, see image.h; 0 = none. Images are cut at fixed sizes: that
  /// of `chunks`, or else that of the parent, or else one that suits their size.
  uint64_t segment_larger_than = 0;
  Compression compression = Compression::Auto;
  uint64_t pack_size = uint64_t{16} << 20;
  int read_concurrency = 2;
  /// For buffers, as many as fit; less than packs of this size need is refused. The index comes on
  /// top.
  uint64_t memory_limit = uint64_t{200} << 20;
  /// Where to note what is finished, so that a backup that was cut off goes on; "" = nowhere.
  std::string resume_folder{};
  /// Instead of paths: what this gives, as one file of that name.
  std::function<Result<size_t>(char* into, size_t most)> stream{};
  std::string stream_name = "/stdin";
  /// Looks ahead how much there is, unless the parent tells, so that progress knows its end.
  bool scan = false;
  /// Hears of every file and folder when it is done; one at a time, from any thread.
  std::function<void(Change, const std::string& path, uint64_t size)> item{};
};

struct BackupProgress {
  /// What the parent had, or the scan has found, or what was done if that is more.
  uint64_t files_total = 0, bytes_total = 0;
  bool total_known = false;  ///< there was a parent, or the scan is complete
  uint64_t files_done = 0, bytes_done = 0;
  uint64_t errors = 0;
  std::string current{};
};

struct BackupResult {
  std::optional<Snapshot> snapshot{};  ///< none: dry run, or nothing changed and asked to skip
  std::optional<Id> parent{};
  SnapshotSummary summary{};
  /// What could not be read, each with its reason; the snapshot is there without them.
  std::vector<std::string> errors{};
};

/// Writes into the index what packs hold that no index tells of, so that a backup after one that
/// was cut off uploads nothing twice. How many packs. The caller holds a lock, and loads the index
/// afterwards. Lists all packs and reads all index files: for who knows that something was cut off.
Result<uint64_t> take_up_packs(Opened& repository, const std::stop_token& stop);

/// Packs, then index, then snapshot: whatever dies on the way leaves a repository as good as
/// before, and what was uploaded is found again. Asked to stop, it is an error and no snapshot,
/// also when all has been read. `progress` is called about ten times a second.
Result<BackupResult> back_up(Indexed& index, const BackupOptions& options,
                             const std::function<void(const BackupProgress&)>& progress,
                             std::stop_token stop);

}  // namespace holdfast::repo
