#include "mover/expecting.h"

#include <holdfast/repo/restore.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

bool has_all(const repo::Snapshot& snapshot, const std::vector<std::string>& tags) {
  return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) {
    return std::find(snapshot.tags.begin(), snapshot.tags.end(), tag) != snapshot.tags.end();
  });
}

/// In what it is not what was told; "" if in nothing.
Result<std::string> difference(repo::Indexed& index, const repo::Snapshot& snapshot,
                               const DataMove::Expected& expected, const std::string& folder) {
  if (!has_all(snapshot, expected.tags)) return std::string("its tags");
  if (!snapshot.summary) return std::string("its summary, which it lacks");
  const repo::SnapshotSummary& summary = *snapshot.summary;
  if (int64_t(summary.total_files_processed) != expected.files)
    return fmt::format("its files: it has {}, and {} were backed up", summary.total_files_processed,
                       expected.files);
  if (int64_t(summary.total_bytes_processed) != expected.bytes)
    return fmt::format("its bytes: it has {}, and {} were backed up", summary.total_bytes_processed,
                       expected.bytes);
  // A document or a stream is a file of that name.
  if (snapshot.paths != std::vector<std::string>{folder}) return std::string("its path");
  const Result<repo::Id> tree = repo::find_tree(index, snapshot.tree, folder);
  if (!tree && tree.error().transient()) return tree.error().copy();
  return std::string(tree ? "" : "its root, which is no folder");
}

}  // namespace

Result<std::optional<repo::Snapshot>> find_own(repo::Opened& repository,
                                               const std::vector<std::string>& tags) {
  repo::SnapshotFilter filter;
  filter.tags = {tags};
  std::vector<repo::Snapshot> found =
      HF_TRY(repo::list_snapshots(repository, filter, [](const repo::Id&, const Error&) {}));
  if (found.empty()) return std::optional<repo::Snapshot>();
  return std::optional(std::move(found.back()));
}

Result<void> expect_snapshots(repo::Indexed& index, const std::vector<DataMove::Expected>& expected,
                              const std::string& folder, std::string& reason) {
  for (const DataMove::Expected& each : expected) {
    const std::optional<repo::Id> id = repo::Id::from_hex(each.snapshot_id);
    Result<repo::Snapshot> loaded =
        id ? repo::load_snapshot(index.repository(), *id)
           : Result<repo::Snapshot>(Error(Fault::NotFound, "it is no id of a snapshot"));
    if (!loaded && loaded.error().transient()) return loaded.take_error();
    if (!loaded) {
      reason = "SnapshotMissing";
      return Error(Fault::Invalid, fmt::format("snapshot {} is not in the repository: {}",
                                               each.snapshot_id, loaded.error().what()));
    }
    const std::string wrong = HF_TRY(difference(index, *loaded, each, folder));
    if (wrong.empty()) continue;
    reason = "SnapshotDiffers";
    return Error(Fault::Invalid, fmt::format("snapshot {} is not what was backed up, by {}",
                                             each.snapshot_id, wrong));
  }
  return {};
}

}  // namespace holdfast::protect
