// Restore of a server's log, in a pod that has three volumes mounted: one of the log's cut, and
// those of a restore.
#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/model/field_text.h>
#include <holdfast/protect/cut/server_log.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace holdfast::protect {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSegmentName = 24;
constexpr mode_t kPrivate = 0600;

bool is_segment(std::string_view name) {
  return name.size() == kSegmentName && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
         });
}

bool stays_inside(const std::string& directory) {
  const fs::path path(directory);
  return path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

/// What a volume holds is its tenant's affair: a link in it must not lead us out of it.
Result<fs::path> folder_in(const std::string& mount, const std::string& directory) {
  std::error_code error;
  const fs::path root = fs::canonical(mount, error);
  const fs::path found = error ? fs::path() : fs::canonical(root / directory, error);
  if (error)
    return Error(Fault::NotFound,
                 fmt::format("folder {} of the volume: {}", directory, error.message()));
  const auto [left, right] = std::mismatch(root.begin(), root.end(), found.begin(), found.end());
  if (left != root.end())
    return Error(Fault::Invalid, fmt::format("folder {} of the volume leads out of it, to {}",
                                             directory, found.string()));
  return found;
}

/// Owned as the folder is: the server reads it as whoever owns that.
Result<void> put(const fs::path& folder, const std::string& name, std::string_view bytes) {
  HF_TRY(write_file(folder / name, bytes, kPrivate));
  return own_as(folder / name, folder);
}

}  // namespace

Result<void> check(const LogRecord& log) {
  const auto wrong = [](const std::string& what) { return Error(Fault::Invalid, what); };
  for (const std::string& directory : {log.directory, log.data_directory})
    if (!stays_inside(directory))
      return wrong(fmt::format("the folder {} of a log is not inside its volume", directory));
  if (log.segments.empty()) return wrong("a log without segments");
  for (const std::string& each : log.segments)
    if (!is_segment(each)) return wrong(fmt::format("{} is no name of a log's segment", each));
  if (!std::is_sorted(log.segments.begin(), log.segments.end()))
    return wrong("the segments of a log are not in their order");
  const auto label = log.files.find("backup_label");
  if (label == log.files.end()) return wrong("a log without backup_label");
  if (from_base64(label->second).value_or("").find(fmt::format("(file {})", log.segments[0])) ==
      std::string::npos)
    return wrong(fmt::format("the label of a log does not begin with segment {}", log.segments[0]));
  for (const auto& [name, text] : log.files) {
    if (name != "backup_label" && name != "tablespace_map")
      return wrong(fmt::format("{} is no file that goes with a log", name));
    if (!from_base64(text)) return wrong(fmt::format("file {} of a log is not base64", name));
  }
  return {};
}

Result<void> put_log_back(const LogTask& task) {
  HF_TRY(check(task.log));
  const fs::path kept = HF_TRY(folder_in(task.kept, task.log.directory));
  const fs::path target = HF_TRY(folder_in(task.target, task.log.directory));
  const fs::path data = HF_TRY(folder_in(task.data, task.log.data_directory));
  size_t length = 0;
  for (const std::string& name : task.log.segments) {
    if (!fs::is_regular_file(fs::symlink_status(kept / name)))
      return Error(Fault::NotFound, fmt::format("the log's cut has no segment {}", name));
    const std::string bytes = HF_TRY(read_file(kept / name));
    if (length == 0) length = bytes.size();
    if (bytes.empty() || bytes.size() != length)
      return Error(Fault::Corrupt, fmt::format("segment {} of the log's cut has {} bytes, not {}",
                                               name, bytes.size(), length));
    HF_TRY(put(target, name, bytes));
  }
  for (const auto& [name, text] : task.log.files)
    HF_TRY(put(data, name, from_base64(text).value_or("")));
  return {};
}

Result<int> put_log_back(std::string_view task) {
  const Result<LogTask> parsed = model::fields_from_json<LogTask>(task);
  if (!parsed) return parsed.error().copy();
  HF_TRY(put_log_back(*parsed));
  return 0;
}

}  // namespace holdfast::protect
