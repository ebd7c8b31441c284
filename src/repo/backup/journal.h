/// Journal of a backup: the files that it has finished, kept beside the repository, so that an
/// interrupted backup need not read them again.
///
///   D TREE PATH .                                     a folder, stored
///   F SIZE MTIME CTIME INODE PATH ID,ID,… .           a file, stored; times as SECONDS.NANOSECONDS
///   S SIZE MTIME CTIME INODE PATH TREE .              a segment of an image, stored; of the image
/// Paths as Go quotes them, without blanks (\x20). A line is whole if it ends with its dot. Nothing
/// here is believed: a folder's tree and a file's blobs must be in the repository's index, and a
/// file must be as it was.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/repo/tree.h>

#include "files/append_file.h"
#include "index/indexed.h"

#include <atomic>
#include <optional>
#include <string>
#include <unordered_map>

namespace holdfast::repo {

class Journal {
 public:
  /// Nothing is remembered if the file cannot be opened: a backup does not depend on it.
  explicit Journal(const std::string& path);

  void folder_done(const std::string& path, const Id& tree);
  void segment_done(const std::string& path, const Node& image, const Id& tree);
  void file_done(const std::string& path, const Node& node);
  /// As far as they are in the index.
  std::optional<Id> find_folder(const std::string& path, const IndexedRepository& index) const;
  std::optional<std::vector<Id>> find_file(const std::string& path, const Node& now,
                                           const IndexedRepository& index) const;
  std::optional<Id> find_segment(const std::string& path, const Node& image,
                                 const IndexedRepository& index) const;
  void flush();
  /// The backup is complete.
  void remove();

 private:
  void read(const std::string& text);
  void append(std::string_view line);
  /// What was noted of a file that is still the same.
  std::optional<std::string_view> find_ids(const std::string& path, const Node& now) const;

  std::unordered_map<std::string, Id> folders_;
  std::unordered_map<std::string, std::string> files_;  ///< the rest of the line, by quoted path
  Mutex mutex_;
  std::optional<AppendFile> file_ HF_GUARDED_BY(mutex_);
  std::string buffer_ HF_GUARDED_BY(mutex_);
  uint64_t size_ HF_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::repo
