// Scan: files and bytes of a backup, counted ahead of it by the same choice of files, without
// opening any.
#include "backup/archiver.h"

namespace holdfast::repo {
namespace {

void collect_leaves(const Target& target, std::vector<std::string>& paths) {
  if (target.whole) return paths.push_back(target.path);
  for (const auto& [name, inner] : target.below) collect_leaves(inner, paths);
}

}  // namespace

void Archiver::scan(const Target& root, const std::stop_token& stop, ScanFigures& found) const {
  std::vector<std::string> paths;
  collect_leaves(root, paths);
  std::set<uint64_t> devices;
  for (const std::string& path : paths)
    if (const Result<struct stat> info = stat_of(path)) devices.insert(info->st_dev);
  for (const std::string& path : paths) {
    const Result<struct stat> info = stat_of(path);
    if (info && S_ISDIR(info->st_mode))
      scan_path(path, devices, stop, found);
    else
      scan_file(path, found);
  }
  found.complete = !stop.stop_requested();
}

/// What cannot be looked at is not counted; the backup says why.
void Archiver::scan_path(const std::string& path, const std::set<uint64_t>& devices,
                         const std::stop_token& stop, ScanFigures& found) const {
  if (options_.one_file_system) {
    const Result<struct stat> info = stat_of(path);
    if (!info || !devices.contains(info->st_dev)) return;
  }
  Result<std::vector<Entry>> entries = list_folder(path);
  if (!entries) return;
  const std::string above = path.ends_with('/') ? path : path + "/";
  for (const Entry& entry : choose(path, entries.take())) {
    if (stop.stop_requested()) return;
    if (entry.kind == EntryKind::Folder)
      scan_path(above + entry.name, devices, stop, found);
    else if (entry.kind == EntryKind::File)
      scan_file(above + entry.name, found);
  }
}

void Archiver::scan_file(const std::string& path, ScanFigures& found) const {
  const Result<struct stat> info = stat_of(path);
  if (!info || !S_ISREG(info->st_mode)) return;
  const auto size = uint64_t(info->st_size);
  if (options_.exclude_larger_than != 0 && size > options_.exclude_larger_than) return;
  ++found.files;
  found.bytes += size;
}

}  // namespace holdfast::repo
