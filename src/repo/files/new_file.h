/// Files that are written from beginning to end: one that takes the place of another, and one
/// without a name.
#pragma once

#include "files/mapped_file.h"

#include <optional>

namespace holdfast::repo {

/// Written beside `path`, for us alone, then renamed over it. Of several processes that do so at
/// once one has the name; the others' files have none and are gone with them. So are those of
/// processes that died: whoever comes next writes over them.
class NewFile {
 public:
  /// Folders above it are made. The file has no name if `path` is empty or another is at it.
  static Result<NewFile> create(const std::string& folder, const std::string& path);
  NewFile(NewFile&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        path_(std::move(other.path_)),
        beside_(std::exchange(other.beside_, {})) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  Result<void> append(std::string_view bytes);
  Result<void> write_at(uint64_t offset, std::string_view bytes);
  /// Exactly so many bytes, and none read ahead: many places may be read in turn in little memory.
  Result<void> read_at(uint64_t offset, char* into, size_t size) const;
  /// Synced and renamed; nothing if it has no name.
  Result<void> publish();
  Result<MappedFile> map() const { return MappedFile::of(fd_, path_); }

 private:
  NewFile(int fd, std::string path, std::string beside)
      : fd_(fd), path_(std::move(path)), beside_(std::move(beside)) {}
  int fd_;
  std::string path_;
  std::string beside_;  ///< its name until it is published; "" = none
};

}  // namespace holdfast::repo
