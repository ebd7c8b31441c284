// Finding, listing and saving snapshots.
#include <holdfast/repo/snapshot.h>

#include "open/opened.h"

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

/// restic's are of a few hundred bytes; one with a hundred thousand paths would still be smaller.
constexpr uint64_t kMostStored = uint64_t{16} << 20;

/// A file that anybody may have put there must not fill the memory of who reads it.
Result<std::string> load_bounded(Opened& repository, const Id& id, uint64_t size) {
  if (size > kMostStored)
    return Error(
        Fault::Corrupt,
        fmt::format("read snapshot {}: its file has {} bytes, no snapshot's has", id.hex(), size));
  return repository.load(FileType::Snapshot, id);
}

/// With their sizes, in the order of ids.
Result<std::vector<std::pair<Id, uint64_t>>> list_files(Opened& repository) {
  std::vector<std::pair<Id, uint64_t>> files;
  const std::string folder(folder_of(FileType::Snapshot));
  Result<void> listed = repository.store().list(folder, [&](const blob::Info& info) {
    // Files that are no ids are another program's business.
    if (const auto id = Id::from_hex(std::string_view(info.name).substr(info.name.rfind('/') + 1)))
      files.emplace_back(*id, info.size);
  });
  if (!listed) return listed.take_error().with_context("list snapshots");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::vector<Snapshot>> list_snapshots(
    Opened& repository, const SnapshotFilter& filter,
    const std::function<void(const Id&, const Error&)>& damaged) {
  std::vector<Snapshot> found;
  const std::vector<std::pair<Id, uint64_t>> files = HF_TRY(list_files(repository));
  for (const auto& [id, size] : files) {
    const Result<std::string> json = load_bounded(repository, id, size);
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
  return load_snapshot(repository, id);
}

Result<Snapshot> load_snapshot(Opened& repository, const Id& id) {
  Result<blob::Info> file = repository.store().stat(place_of(FileType::Snapshot, id));
  if (!file) return file.take_error().with_context(fmt::format("read snapshot {}", id.hex()));
  const std::string json = HF_TRY(load_bounded(repository, id, file->size));
  return parse_snapshot(json, id);
}

Result<Id> save_snapshot(Opened& repository, Snapshot& snapshot) {
  snapshot.id = HF_TRY(repository.save(FileType::Snapshot, to_json(snapshot)));
  return snapshot.id;
}

}  // namespace holdfast::repo
