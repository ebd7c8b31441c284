/// What the system said, as an Error; and files that close themselves.
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <string_view>

namespace holdfast::volumes {

/// "make folder /v/x: No space left on device"; by default of errno.
Error failed(std::string_view doing, const std::filesystem::path& path);
Error failed(std::string_view doing, const std::filesystem::path& path, int code);

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace holdfast::volumes
