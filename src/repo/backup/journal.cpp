#include "backup/journal.h"

#include <holdfast/base/files.h>

#include "codec/go_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

constexpr size_t kFlushAt = 4096;
/// Beyond this, what is finished is not written down any more: it is read into memory.
constexpr uint64_t kMostBytes = uint64_t{32} << 20;

std::string quoted_path(const std::string& path) {
  std::string out;
  for (const char c : go_quoted(path)) {
    if (c == ' ')
      out += "\\x20";
    else
      out += c;
  }
  return out;
}

std::string_view next_word(std::string_view& rest) {
  const size_t blank = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, blank);
  rest.remove_prefix(std::min(blank + 1, rest.size()));
  return word;
}

/// All that tells a file from the one it was.
std::string identity(const Node& node) {
  return fmt::format("{} {}.{} {}.{} {}", node.size, node.mtime.seconds, node.mtime.nanoseconds,
                     node.ctime.seconds, node.ctime.nanoseconds, node.inode);
}

}  // namespace

Journal::Journal(const std::string& path) {
  if (path.empty()) return;
  if (const Result<std::string> text = read_file(path)) read(*text);
  Result<AppendFile> file = AppendFile::open(path);
  const Lock lock(mutex_);
  if (!file) return;
  file_.emplace(file.take());
  size_ = file_->size();
  // What follows a line that was cut off begins a line of its own.
  if (size_ > 0) buffer_ = "\n";
}

void Journal::read(const std::string& text) {
  for (std::string_view left = text; !left.empty();) {
    const size_t end = std::min(left.find('\n'), left.size());
    std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (!line.ends_with(" .")) continue;
    line.remove_suffix(2);
    const std::string_view kind = next_word(line);
    if (kind == "D") {
      const std::optional<Id> tree = Id::from_hex(next_word(line));
      if (tree) folders_.insert_or_assign(std::string(line), *tree);
    } else if (kind == "F" || kind == "S") {
      const std::string_view whole = line;
      for (int i = 0; i < 4; ++i) next_word(line);
      const auto before = size_t(line.data() - whole.data());
      const std::string_view name = next_word(line);
      files_.insert_or_assign(std::string(name),
                              fmt::format("{}{}", whole.substr(0, before), line));
    }
  }
}

void Journal::append(std::string_view line) {
  const Lock lock(mutex_);
  if (!file_ || size_ > kMostBytes) return;
  size_ += line.size();
  buffer_ += line;
  if (buffer_.size() < kFlushAt) return;
  if (!file_->append(buffer_)) file_.reset();
  buffer_.clear();
}

void Journal::flush() {
  const Lock lock(mutex_);
  if (file_ && !file_->append(buffer_)) file_.reset();
  buffer_.clear();
}

void Journal::folder_done(const std::string& path, const Id& tree) {
  append(fmt::format("D {} {} .\n", tree.hex(), quoted_path(path)));
}

void Journal::segment_done(const std::string& path, const Node& image, const Id& tree) {
  append(fmt::format("S {} {} {} .\n", identity(image), quoted_path(path), tree.hex()));
}

void Journal::file_done(const std::string& path, const Node& node) {
  std::string ids;
  for (const Id& id : *node.content) ids += (ids.empty() ? "" : ",") + id.hex();
  append(fmt::format("F {} {} {} .\n", identity(node), quoted_path(path), ids));
}

std::optional<Id> Journal::find_folder(const std::string& path,
                                       const IndexedRepository& index) const {
  if (folders_.empty()) return {};
  const auto found = folders_.find(quoted_path(path));
  if (found == folders_.end() || !index.find(BlobType::Tree, found->second)) return {};
  return found->second;
}

std::optional<std::string_view> Journal::find_ids(const std::string& path, const Node& now) const {
  if (files_.empty()) return {};
  const auto found = files_.find(quoted_path(path));
  const std::string as_now = identity(now) + " ";
  if (found == files_.end() || !found->second.starts_with(as_now)) return {};
  return std::string_view(found->second).substr(as_now.size());
}

std::optional<Id> Journal::find_segment(const std::string& path, const Node& image,
                                        const IndexedRepository& index) const {
  const std::optional<std::string_view> text = find_ids(path, image);
  const std::optional<Id> tree = text ? Id::from_hex(*text) : std::nullopt;
  if (!tree || !index.find(BlobType::Tree, *tree)) return {};
  return tree;
}

std::optional<std::vector<Id>> Journal::find_file(const std::string& path, const Node& now,
                                                  const IndexedRepository& index) const {
  const std::optional<std::string_view> ids = find_ids(path, now);
  if (!ids) return {};
  std::vector<Id> content;
  for (std::string_view rest = *ids; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::optional<Id> id = Id::from_hex(rest.substr(0, comma));
    if (!id || !index.find(BlobType::Data, *id)) return {};
    content.push_back(*id);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return content;
}

void Journal::remove() {
  const Lock lock(mutex_);
  buffer_.clear();
  if (file_) file_->remove();
  file_.reset();
}

}  // namespace holdfast::repo
