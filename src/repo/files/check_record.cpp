#include "files/check_record.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <charconv>

namespace holdfast::repo {
namespace {

std::string head_of(const std::string& repository) {
  return fmt::format("holdfast check record 1 {}", repository);
}

}  // namespace

CheckRecord read_check_record(const std::filesystem::path& path, const std::string& repository) {
  CheckRecord record;
  const Result<std::string> text = read_file(path);
  if (!text) return record;
  const std::vector<std::string_view> lines = split(*text, '\n');
  if (lines.front() != head_of(repository)) return record;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.size() < 66) continue;
    const std::optional<Id> id = Id::from_hex(line.substr(0, 64));
    int64_t seconds = 0;
    const auto read = std::from_chars(line.data() + 65, line.data() + line.size(), seconds);
    if (id && read.ec == std::errc()) record[*id] = WallTime(std::chrono::seconds(seconds));
  }
  return record;
}

Result<void> write_check_record(const std::filesystem::path& path, const std::string& repository,
                                const CheckRecord& record) {
  std::string text = head_of(repository) + "\n";
  for (const auto& [id, time] : record)
    text += fmt::format(
        "{} {}\n", id.hex(),
        std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
  if (path.has_parent_path()) HF_TRY(make_folder(path.parent_path(), 0700));
  return write_file(path, text, 0600);
}

}  // namespace holdfast::repo
