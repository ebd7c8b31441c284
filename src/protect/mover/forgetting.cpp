#include "mover/forgetting.h"

#include <holdfast/repo/forget.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

/// Those of the task that are in the repository.
Result<std::vector<repo::Id>> still_there(repo::Opened& repository, const MoveTask& task) {
  const std::vector<repo::Id> all = HF_TRY(repository.list(repo::FileType::Snapshot));
  std::vector<repo::Id> found;
  for (const std::string& name : task.snapshots) {
    const std::optional<repo::Id> id = repo::Id::from_hex(name);
    if (!id) return Error(Fault::Invalid, fmt::format("{} is not the id of a snapshot", name));
    if (std::binary_search(all.begin(), all.end(), *id)) found.push_back(*id);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// The tag that it lacks; "" if none.
std::string missing_tag(const repo::Snapshot& snapshot, const std::vector<std::string>& tags) {
  for (const std::string& tag : tags)
    if (std::find(snapshot.tags.begin(), snapshot.tags.end(), tag) == snapshot.tags.end())
      return tag;
  return "";
}

/// One that cannot be read may be anybody's: it is an error, and stays.
Result<void> expect_ours(repo::Opened& repository, const repo::Id& id, const MoveTask& task,
                         WallTime now, std::string& reason) {
  Result<repo::Snapshot> loaded = repo::load_snapshot(repository, id);
  if (!loaded && loaded.error().fault() == Fault::NotFound) return {};  // gone meanwhile
  if (!loaded) return loaded.take_error();
  const repo::Snapshot& snapshot = *loaded;
  if (const std::string tag = missing_tag(snapshot, task.tags); !tag.empty()) {
    reason = "TagMissing";
    return Error(Fault::Invalid,
                 fmt::format("snapshot {} does not carry the tag {}", id.hex(), tag))
        .with_hint("nothing was forgotten: name only snapshots that carry all of spec.tags");
  }
  if (repo::is_protected(snapshot, now)) {
    reason = "SnapshotProtected";
    return Error(
        Fault::Invalid,
        fmt::format("snapshot {} is protected: its writer marked it to be kept", id.hex()));
  }
  return {};
}

}  // namespace

Result<int64_t> forget_snapshots(repo::Opened& repository, const MoveTask& task, WallTime now,
                                 std::string& reason) {
  // Without a tag every snapshot would carry all of them.
  if (task.tags.empty()) return Error(Fault::Invalid, "no tag says whose snapshots may go");
  const std::vector<repo::Id> there = HF_TRY(still_there(repository, task));
  for (const repo::Id& id : there) HF_TRY(expect_ours(repository, id, task, now, reason));
  if (!there.empty()) HF_TRY(repo::forget(repository, there));
  const std::vector<repo::Id> left = HF_TRY(still_there(repository, task));
  if (left.empty()) return int64_t(there.size());
  return Error(Fault::Unavailable, fmt::format("{} snapshots are still listed, {} among them",
                                               left.size(), left.front().hex()));
}

}  // namespace holdfast::protect
