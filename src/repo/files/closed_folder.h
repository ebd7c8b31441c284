/// Folder that only we may enter while it is filled.
#pragma once

#include <holdfast/base/result.h>

#include <string>
#include <utility>

namespace holdfast::repo {

/// One that was made stays so. One that was there gets its mode, and its owner if root took it,
/// back when this is destroyed. Another user's, that we may not change, and the root of all
/// folders, by which everybody goes, stay as they are.
class ClosedFolder {
 public:
  /// With those above it; what is there already stays, also a link to a folder.
  static Result<ClosedFolder> make(const std::string& path);
  ClosedFolder(ClosedFolder&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), mode_(other.mode_), owner_(other.owner_) {}
  ClosedFolder& operator=(ClosedFolder&&) = delete;
  ~ClosedFolder();

 private:
  ClosedFolder(int fd, uint32_t mode, uint32_t owner) : fd_(fd), mode_(mode), owner_(owner) {}
  int fd_;  ///< -1: nothing is to be given back
  uint32_t mode_, owner_;
};

}  // namespace holdfast::repo
