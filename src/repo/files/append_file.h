/// A file that only grows: what was appended is there after a crash of the process, as far as it
/// was flushed.
#pragma once

#include <holdfast/base/result.h>

#include <string>
#include <string_view>

namespace holdfast::repo {

class AppendFile {
 public:
  /// Made if it is not there, with the folders above it, for us alone.
  static Result<AppendFile> open(const std::string& path);
  AppendFile(AppendFile&& other) noexcept : fd_(other.fd_), path_(std::move(other.path_)) {
    other.fd_ = -1;
  }
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile();
  Result<void> append(std::string_view bytes);
  uint64_t size() const;
  void remove();

 private:
  AppendFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

}  // namespace holdfast::repo
