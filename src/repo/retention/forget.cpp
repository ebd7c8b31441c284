// Groups of snapshots, and what is done with the verdict on them.
#include <holdfast/base/text.h>
#include <holdfast/repo/forget.h>

#include "open/opened.h"
#include "open/removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::repo {
namespace {

void sort(std::vector<std::string>& list) { std::sort(list.begin(), list.end()); }

void keep_one(std::vector<Kept>& verdicts, const std::function<bool(const Snapshot&)>& whole) {
  if (verdicts.empty()) return;
  const auto kept = [](const Kept& each) { return each.keep; };
  if (std::any_of(verdicts.begin(), verdicts.end(), kept)) return;
  auto one = std::find_if(verdicts.begin(), verdicts.end(),
                          [&whole](const Kept& each) { return whole(each.snapshot); });
  if (one == verdicts.end()) one = verdicts.begin();
  one->keep = true;
  one->reasons.emplace_back("last one of its group");
}

}  // namespace

Result<GroupBy> parse_group_by(std::string_view text) {
  GroupBy by{.host = false, .paths = false};
  if (text.empty()) return by;
  for (const std::string_view part : split(text, ',')) {
    if (part == "host" || part == "hosts")
      by.host = true;
    else if (part == "path" || part == "paths")
      by.paths = true;
    else if (part == "tag" || part == "tags")
      by.tags = true;
    else
      return Error(Fault::Invalid, fmt::format("snapshots are not grouped by \"{}\"", part))
          .with_hint("host, paths, tags, or several of them with commas");
  }
  return by;
}

std::vector<SnapshotGroup> group_snapshots(const std::vector<Snapshot>& snapshots,
                                           const GroupBy& by) {
  using Key = std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>;
  std::map<Key, SnapshotGroup> groups;
  for (const Snapshot& snapshot : snapshots) {
    SnapshotGroup group;
    if (by.host) group.host = snapshot.host;
    if (by.paths) group.paths = snapshot.paths;
    if (by.tags) group.tags = snapshot.tags;
    sort(group.paths);
    sort(group.tags);
    const Key key = group.key();
    groups.try_emplace(key, std::move(group)).first->second.snapshots.push_back(snapshot);
  }
  std::vector<SnapshotGroup> out;
  out.reserve(groups.size());
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

std::vector<ForgetGroup> plan_forget(const std::vector<Snapshot>& snapshots, const GroupBy& by,
                                     const KeepPolicy& policy, WallTime now,
                                     const std::function<bool(const Snapshot&)>& whole,
                                     bool may_remove_all) {
  std::vector<ForgetGroup> plan;
  for (SnapshotGroup& group : group_snapshots(snapshots, by)) {
    ForgetGroup each{.verdicts = apply_policy(group.snapshots, policy, now)};
    each.group = std::move(group);
    if (!may_remove_all) keep_one(each.verdicts, whole);
    plan.push_back(std::move(each));
  }
  return plan;
}

Result<void> forget(Opened& repository, const std::vector<Id>& snapshots) {
  return remove_all(repository, FileType::Snapshot, snapshots);
}

Result<std::optional<Snapshot>> change_tags(Opened& repository, const Snapshot& snapshot,
                                            const TagChange& change) {
  Snapshot changed = snapshot;
  if (change.set) changed.tags = *change.set;
  for (const std::string& tag : change.add)
    if (std::find(changed.tags.begin(), changed.tags.end(), tag) == changed.tags.end())
      changed.tags.push_back(tag);
  for (const std::string& tag : change.remove) std::erase(changed.tags, tag);
  if (changed.tags == snapshot.tags) return std::optional<Snapshot>();
  HF_TRY(may_remove(repository));
  if (!changed.original) changed.original = snapshot.id;
  HF_TRY(save_snapshot(repository, changed));
  HF_TRY(repository.remove(FileType::Snapshot, snapshot.id));
  return std::optional(std::move(changed));
}

}  // namespace holdfast::repo
