#include "mover/forgetting.h"

#include <holdfast/base/log.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/catalogue.h>
#include <holdfast/repo/forget.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

/// Those of the task that are in the repository, in the order in which they are to go.
Result<std::vector<repo::Id>> still_there(repo::Opened& repository,
                                          const std::vector<std::string>& names) {
  const std::vector<repo::Id> all = HF_TRY(repository.list(repo::FileType::Snapshot));
  std::vector<repo::Id> found;
  for (const std::string& name : names) {
    const std::optional<repo::Id> id = repo::Id::from_hex(name);
    if (!id) return Error(Fault::Invalid, fmt::format("{} is not the id of a snapshot", name));
    if (std::binary_search(all.begin(), all.end(), *id) &&
        std::find(found.begin(), found.end(), *id) == found.end())
      found.push_back(*id);
  }
  return found;
}

/// All with the tags. Catalogues go first: without its catalogue a backup is not listed any more.
Result<std::vector<std::string>> tagged(repo::Opened& repository,
                                        const std::vector<std::string>& tags) {
  repo::SnapshotFilter filter;
  filter.tags = {tags};
  std::vector<repo::Snapshot> found =
      HF_TRY(repo::list_snapshots(repository, filter, [](const repo::Id& id, const Error& error) {
        log::warn(fmt::format("snapshot {} is left: {}", id.hex(), error.what()));
      }));
  std::stable_partition(found.begin(), found.end(), [](const repo::Snapshot& each) {
    return std::find(each.tags.begin(), each.tags.end(), kCatalogueTag) != each.tags.end();
  });
  std::vector<std::string> out;
  for (const repo::Snapshot& each : found) out.push_back(each.id.hex());
  return out;
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
  if (now - snapshot.time < std::chrono::seconds(task.access.keep_seconds)) {
    reason = "MinimumRetention";
    return Error(Fault::Invalid,
                 fmt::format("snapshot {} is of {}, and the location keeps all for {} hours",
                             id.hex(), model::to_rfc3339(snapshot.time),
                             task.access.keep_seconds / 3600))
        .with_hint("nothing was forgotten: try again when its time has come");
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

Result<Forgotten> forget_snapshots(repo::Opened& repository, const MoveTask& task, WallTime now,
                                   std::string& reason) {
  // Without a tag every snapshot would carry all of them.
  if (task.tags.empty()) return Error(Fault::Invalid, "no tag says whose snapshots may go");
  std::vector<std::string> named = task.snapshots;
  if (task.all_tagged) named = HF_TRY(tagged(repository, task.tags));
  const std::vector<repo::Id> there = HF_TRY(still_there(repository, named));
  for (const repo::Id& id : there) HF_TRY(expect_ours(repository, id, task, now, reason));
  // One by one: dead on the way, what is left is no more than a part that nobody lists.
  for (const repo::Id& id : there) HF_TRY(repo::forget(repository, {id}));
  const std::vector<repo::Id> left = HF_TRY(still_there(repository, named));
  if (left.empty()) return Forgotten{std::move(named), int64_t(there.size())};
  return Error(Fault::Unavailable, fmt::format("{} snapshots are still listed, {} among them",
                                               left.size(), left.front().hex()));
}

}  // namespace holdfast::protect
