/// Reading of files to back up.
#pragma once

#include <holdfast/base/result.h>

#include <sys/stat.h>

#include <string>
#include <vector>

namespace holdfast::repo {

enum class EntryKind { Folder, File, Other };

struct Entry {
  std::string name{};
  EntryKind kind = EntryKind::Other;
};

/// Sorted by the bytes of the names, without . and .. entries. Errors name the path.
Result<std::vector<Entry>> list_folder(const std::string& path);
/// Of the thing itself, where it is a link.
Result<struct stat> stat_of(const std::string& path);
bool is_there(const std::string& path);
/// Of what a link leads to.
Result<struct stat> stat_behind(const std::string& path);
/// Without any link in it.
Result<std::string> real_path(const std::string& path);
std::string absolute_path(const std::string& path);

class InputFile {
 public:
  /// Never follows a link, never waits for the other end of a pipe, leaves the access time alone
  /// where that is allowed.
  static Result<InputFile> open(const std::string& path);
  InputFile(InputFile&& other) noexcept : fd_(other.fd_), path_(std::move(other.path_)) {
    other.fd_ = -1;
  }
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// As many as there are up to `most`; less than that only at the end.
  Result<size_t> read(char* into, size_t most);
  /// The same at a place, from many threads. Where the file is read next is left as it was.
  Result<size_t> read_at(uint64_t offset, char* into, size_t most) const;
  /// Also of a block device.
  Result<uint64_t> size();
  Result<struct stat> stat() const;
  void seek(uint64_t offset);
  /// How long the hole is that begins there; 0 if there is none. Where the file is read next is
  /// left as it was.
  uint64_t hole_at(uint64_t offset);

 private:
  InputFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

}  // namespace holdfast::repo
