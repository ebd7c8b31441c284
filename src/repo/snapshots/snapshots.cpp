// Finding, listing and saving snapshots.
#include <holdfast/repo/snapshot.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool matches(const Snapshot& snapshot, const SnapshotFilter& filter) {
  if (!filter.hosts.empty() && !contains(filter.hosts, snapshot.host)) return false;
  const auto has_path = [&](const std::string& path) { return contains(snapshot.paths, path); };
  if (!std::all_of(filter.paths.begin(), filter.paths.end(), has_path)) return false;
  if (filter.tags.empty()) return true;
  return std::any_of(filter.tags.begin(), filter.tags.end(), [&](const auto& all) {
    return std::all_of(all.begin(), all.end(), [&](const std::string& tag) {
      return tag.empty() ? snapshot.tags.empty() : contains(snapshot.tags, tag);
    });
  });
}

}  // namespace

Result<std::vector<Snapshot>> list_snapshots(
    Opened& repository, const SnapshotFilter& filter,
    const std::function<void(const Id&, const Error&)>& damaged) {
  std::vector<Snapshot> found;
  const std::vector<Id> ids = HF_TRY(repository.list(FileType::Snapshot));
  for (const Id& id : ids) {
    const Result<std::string> json = repository.load(FileType::Snapshot, id);
    // Removed by somebody since it was listed.
    if (!json && json.error().fault() == Fault::NotFound) continue;
    if (!json && json.error().fault() != Fault::Corrupt) return json.error().copy();
    if (!json) {
      damaged(id, json.error());
      continue;
    }
    Result<Snapshot> snapshot = parse_snapshot(*json, id);
    if (!snapshot)
      damaged(id, snapshot.error());
    else if (matches(*snapshot, filter))
      found.push_back(snapshot.take());
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Snapshot& a, const Snapshot& b) { return a.time < b.time; });
  return found;
}

Result<Snapshot> find_snapshot(Opened& repository, std::string_view which,
                               const SnapshotFilter& filter) {
  if (which == "latest") {
    std::vector<Snapshot> all =
        HF_TRY(list_snapshots(repository, filter, [](const Id&, const Error&) {}));
    if (all.empty())
      return Error(Fault::NotFound,
                   fmt::format("no snapshot in {} fits", repository.store().text()));
    return std::move(all.back());
  }
  const Id id = HF_TRY(repository.find(FileType::Snapshot, which));
  const std::string json = HF_TRY(repository.load(FileType::Snapshot, id));
  return parse_snapshot(json, id);
}

Result<Id> save_snapshot(Opened& repository, Snapshot& snapshot) {
  snapshot.id = HF_TRY(repository.save(FileType::Snapshot, to_json(snapshot)));
  return snapshot.id;
}

}  // namespace holdfast::repo
