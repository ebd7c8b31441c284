#include "files/output.h"

#include <holdfast/base/walls.h>

#include "files/failure.h"
#include "files/file_node.h"
#include "files/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::repo {
namespace {

constexpr mode_t kPrivate = 0600;

std::pair<uint32_t, uint32_t> owner_of(const Node& node, const Ownership& ownership) {
  return ownership.mapped ? ownership.mapped(node.uid, node.gid)
                          : std::pair<uint32_t, uint32_t>(node.uid, node.gid);
}

/// Whoever is not root cannot give files away and is not told so for each of them.
bool may_ignore(int code) { return code == EPERM && ::geteuid() != 0; }

timespec time_of(const NodeTime& time) {
  if (time == kNoTime) return {0, UTIME_OMIT};
  return {time.seconds, time.nanoseconds};
}

void times_of(const Node& node, timespec (&times)[2]) {
  times[0] = time_of(node.atime);
  times[1] = time_of(node.mtime);
}

/// What a file is given, by whether it was given to its owner.
uint32_t mode_of(const Node& node, bool given) {
  const uint32_t mode = unix_mode(node.mode);
  const bool keeps = given || node.type == NodeType::Dir || !wall_stands("rights of an owner");
  return keeps ? mode : mode & ~uint32_t(S_ISUID | S_ISGID);
}

/// Never of what a link leads to.
bool set_mode(const std::string& path, uint32_t mode) {
  if (!wall_stands("links in a target")) return ::chmod(path.c_str(), mode) == 0;
  if (::fchmodat(AT_FDCWD, path.c_str(), mode, AT_SYMLINK_NOFOLLOW) == 0) return true;
  // The C library does it by way of /proc, which need not be there.
  struct stat info {};
  return errno == EOPNOTSUPP && ::lstat(path.c_str(), &info) == 0 && !S_ISLNK(info.st_mode) &&
         ::chmod(path.c_str(), mode) == 0;
}

/// Keeps the first failure and goes on.
class First {
 public:
  explicit First(const std::string& path) : path_(path) {}
  void see(bool good, std::string_view doing) {
    if (!good && !may_ignore(errno) && !failed_) failed_ = file_failure(doing, path_);
  }
  Result<void> result() {
    if (failed_) return std::move(*failed_);
    return ok();
  }

 private:
  const std::string& path_;
  std::optional<Error> failed_;
};

}  // namespace

Error Disk::failure(std::string_view doing, const std::string& path) {
  const bool no_room = errno == ENOSPC || errno == EDQUOT;
  Error error = file_failure(doing, path);
  if (!no_room) return error;
  const Lock lock(mutex_);
  if (!full_.exchange(true)) trouble_ = error.what();
  return error;
}

std::string Disk::trouble() const {
  const Lock lock(mutex_);
  return trouble_;
}

Result<OutputFile> OutputFile::open(Disk& disk, const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (int tries = 0;; ++tries) {
    const int fd = ::open(path.c_str(), kFlags, kPrivate);
    if (fd >= 0) {
      struct stat info {};
      if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return OutputFile(disk, fd, path);
      ::close(fd);
    } else if (errno == EACCES && set_mode(path, kPrivate) && tries == 0) {
      continue;  // ours, and read-only
    } else if (errno != ELOOP && errno != EISDIR && errno != ENXIO) {
      return disk.failure("create", path);
    }
    if (tries > 1) return disk.failure("create", path);
    HF_TRY(remove_all(path));
  }
}

Result<OutputFile> OutputFile::open_over(Disk& disk, const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return file_failure("stat", path);
  const bool device = S_ISBLK(info.st_mode);
  if (!device && !S_ISREG(info.st_mode))
    return Error(Fault::Invalid, fmt::format("{} is neither a block device nor a file", path));
  // Of a device this asks for it to be nobody's: not mounted, not part of another one.
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | (device ? O_EXCL : 0));
  if (fd < 0) return file_failure("open", path);
  return OutputFile(disk, fd, path);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> OutputFile::write(std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), off_t(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return disk_.failure("write", path_);
    bytes.remove_prefix(size_t(written));
    offset += uint64_t(written);
  }
  return ok();
}

Result<void> OutputFile::sync() {
  if (::fsync(fd_) != 0) return disk_.failure("sync", path_);
  return ok();
}

Result<void> OutputFile::set_size(uint64_t size) {
  if (::ftruncate(fd_, off_t(size)) != 0) return disk_.failure("set the size of", path_);
  return ok();
}

Result<void> OutputFile::describe(const Node& node, const Ownership& ownership) {
  First first(path_);
  bool given = false;
  if (ownership.owners) {
    const auto [uid, gid] = owner_of(node, ownership);
    given = ::fchown(fd_, uid, gid) == 0;
    first.see(given, "set the owner of");
  }
  first.see(::fchmod(fd_, mode_of(node, given)) == 0, "set the mode of");
  if (ownership.extended_attributes)
    for (const auto& [name, value] : node.extended_attributes)
      first.see(::fsetxattr(fd_, name.c_str(), value.data(), value.size(), 0) == 0,
                fmt::format("set extended attribute {} of", name));
  timespec times[2];
  times_of(node, times);
  first.see(::futimens(fd_, times) == 0, "set the times of");
  return first.result();
}

Result<void> describe_path(const std::string& path, const Node& node, const Ownership& ownership) {
  First first(path);
  bool given = false;
  if (ownership.owners) {
    const auto [uid, gid] = owner_of(node, ownership);
    given = ::lchown(path.c_str(), uid, gid) == 0;
    first.see(given, "set the owner of");
  }
  if (node.type != NodeType::Symlink)
    first.see(set_mode(path, mode_of(node, given)), "set the mode of");
  if (ownership.extended_attributes)
    for (const auto& [name, value] : node.extended_attributes)
      first.see(::lsetxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) == 0,
                fmt::format("set extended attribute {} of", name));
  timespec times[2];
  times_of(node, times);
  first.see(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0,
            "set the times of");
  return first.result();
}

Result<bool> make_output_folder(Disk& disk, const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) return disk.failure("make folder", path);
  const struct stat info = HF_TRY(stat_of(path));
  if (S_ISDIR(info.st_mode)) return false;
  HF_TRY(remove_all(path));
  if (::mkdir(path.c_str(), 0700) != 0) return disk.failure("make folder", path);
  return true;
}

Result<void> make_output_folders(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (!code) return ok();
  errno = code.value();
  return file_failure("make folder", path);
}

Result<void> make_special(Disk& disk, const std::string& path, const Node& node,
                          const Ownership& ownership) {
  if (is_there(path)) HF_TRY(remove_all(path));
  int made = 0;
  switch (node.type) {
    case NodeType::Symlink:
      made = ::symlink(node.link_target.c_str(), path.c_str());
      break;
    case NodeType::Device:
      made = ::mknod(path.c_str(), S_IFBLK | kPrivate, node.device);
      break;
    case NodeType::CharDevice:
      made = ::mknod(path.c_str(), S_IFCHR | kPrivate, node.device);
      break;
    case NodeType::Fifo:
      made = ::mkfifo(path.c_str(), kPrivate);
      break;
    default:
      return ok();  // a socket without its server is nothing
  }
  if (made != 0) return disk.failure("make", path);
  return describe_path(path, node, ownership);
}

Result<void> make_hard_link(Disk& disk, const std::string& existing, const std::string& path) {
  if (::link(existing.c_str(), path.c_str()) == 0) return ok();
  if (errno != EEXIST) return disk.failure("link", path);
  HF_TRY(remove_all(path));
  if (::link(existing.c_str(), path.c_str()) != 0) return disk.failure("link", path);
  return ok();
}

Result<uint64_t> remove_all(const std::string& path) {
  std::error_code code;
  const auto gone = std::filesystem::remove_all(path, code);
  if (code) {
    errno = code.value();
    return file_failure("remove", path);
  }
  return uint64_t(gone);
}

}  // namespace holdfast::repo
