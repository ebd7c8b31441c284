/// Snapshots: one point in time of some paths, as restic writes them.
#pragma once

#include <holdfast/repo/repository.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::repo {

struct SnapshotSummary {
  std::string backup_start{}, backup_end{};
  uint64_t files_new = 0, files_changed = 0, files_unmodified = 0;
  uint64_t dirs_new = 0, dirs_changed = 0, dirs_unmodified = 0;
  uint64_t data_blobs = 0, tree_blobs = 0;
  uint64_t data_added = 0, data_added_packed = 0;
  uint64_t total_files_processed = 0, total_bytes_processed = 0;
  std::string others{};  ///< as those of the snapshot
};

struct Snapshot {
  Id id{};  ///< of its file; not part of the JSON
  WallTime time{};
  std::string time_text{};  ///< as written, with its nanoseconds and offset
  std::optional<Id> parent{};
  Id tree{};
  std::vector<std::string> paths{}, excludes{}, tags{};
  std::string host{}, user{}, program_version{};
  std::optional<uint32_t> uid{}, gid{};
  std::optional<Id> original{};
  std::optional<SnapshotSummary> summary{};
  /// The members that restic does not know (rustic's label, delete, …), as JSON; kept on
  /// rewriting.
  std::string others{};
  /// What `delete` among them says: until then nobody may forget it; the largest time is forever.
  std::optional<WallTime> keep_until{};
};

Result<Snapshot> parse_snapshot(std::string_view json, const Id& id);
std::string to_json(const Snapshot& snapshot);

struct SnapshotFilter {
  std::vector<std::string> hosts{}, paths{};
  std::vector<std::vector<std::string>> tags{};  ///< any of these sets, all of its tags
};
/// Sorted by time, oldest first. A snapshot that does not load is reported to `damaged` and left
/// out.
Result<std::vector<Snapshot>> list_snapshots(
    Opened& repository, const SnapshotFilter& filter,
    const std::function<void(const Id&, const Error&)>& damaged);
/// `latest`, an id or its beginning, with `:subfolder` cut off before.
Result<Snapshot> find_snapshot(Opened& repository, std::string_view which,
                               const SnapshotFilter& filter);
/// Corrupt if it is not one; what is too large for one is not read.
Result<Snapshot> load_snapshot(Opened& repository, const Id& id);
Result<Id> save_snapshot(Opened& repository, Snapshot& snapshot);

}  // namespace holdfast::repo
