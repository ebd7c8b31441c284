#include "files/closed_folder.h"

#include "files/failure.h"
#include "files/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::repo {
namespace {

constexpr mode_t kClosed = 0700, kAbove = 07000, kAll = 07777;

bool is_root(const struct stat& info) {
  struct stat root {};
  return ::stat("/", &root) == 0 && info.st_dev == root.st_dev && info.st_ino == root.st_ino;
}

/// Its owner may open what is only ours by its mode: root takes it. True if it is closed.
bool close_to_others(int fd, const struct stat& info) {
  const uint32_t self = ::geteuid();
  if (self == 0 && info.st_uid != self && ::fchown(fd, self, gid_t(-1)) != 0) return false;
  return ::fchmod(fd, (info.st_mode & kAbove) | kClosed) == 0;
}

}  // namespace

Result<ClosedFolder> ClosedFolder::make(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  const std::string above = std::filesystem::path(name).parent_path().string();
  if (!above.empty()) HF_TRY(make_output_folders(above));
  if (::mkdir(name.c_str(), kClosed) == 0) return ClosedFolder(-1, 0, 0);
  if (errno != EEXIST) return file_failure("make folder", path);
  const int fd = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == EACCES) return ClosedFolder(-1, 0, 0);  // not ours to close
  if (fd < 0) return file_failure("open folder", path);
  struct stat info {};
  if (::fstat(fd, &info) == 0 && !is_root(info) && close_to_others(fd, info))
    return ClosedFolder(fd, info.st_mode & kAll, info.st_uid);
  ::close(fd);
  return ClosedFolder(-1, 0, 0);
}

ClosedFolder::~ClosedFolder() {
  if (fd_ < 0) return;
  const bool owned = ::geteuid() != 0 || ::fchown(fd_, owner_, gid_t(-1)) == 0;
  if (owned) ::fchmod(fd_, mode_);
  ::close(fd_);
}

}  // namespace holdfast::repo
