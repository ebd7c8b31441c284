#include "files/new_file.h"

#include <holdfast/base/files.h>

#include "files/failure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::repo {
namespace {

constexpr mode_t kPrivate = 0600;

Result<int> open_nameless(const std::string& folder) {
  // Whoever dies leaves nothing behind. Not every file system can.
  const int nameless = ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, kPrivate);
  if (nameless >= 0) return nameless;
  std::string path = folder + "/scratch-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return file_failure("make a file in", folder);
  ::unlink(path.c_str());
  return fd;
}

/// Locked, empty and ours; -1 if somebody else writes it.
Result<int> open_beside(const std::string& beside) {
  for (;;) {
    const int fd = ::open(beside.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kPrivate);
    if (fd < 0) return file_failure("make", beside);
    struct stat held {
    }, named{};
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      ::close(fd);
      return -1;
    }
    // Between opening and locking its writer may have published it: what is mapped by others now
    // must not be written to.
    if (::fstat(fd, &held) == 0 && ::stat(beside.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
      if (::ftruncate(fd, 0) == 0 && ::fchmod(fd, kPrivate) == 0) return fd;
      Error failed = file_failure("empty", beside);
      ::close(fd);
      return failed;
    }
    ::close(fd);
  }
}

}  // namespace

Result<NewFile> NewFile::create(const std::string& folder, const std::string& path) {
  HF_TRY(make_folder(folder, 0700));
  if (!path.empty()) {
    std::string beside = path + ".new";
    const int fd = HF_TRY(open_beside(beside));
    if (fd >= 0) return NewFile(fd, path, std::move(beside));
  }
  const int fd = HF_TRY(open_nameless(folder));
  return NewFile(fd, folder, "");
}

NewFile::~NewFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

Result<void> NewFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_failure("write", path_);
    bytes.remove_prefix(size_t(written));
  }
  return ok();
}

Result<void> NewFile::write_at(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), off_t(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_failure("write", path_);
    bytes.remove_prefix(size_t(written));
    offset += uint64_t(written);
  }
  return ok();
}

Result<void> NewFile::read_at(uint64_t offset, char* into, size_t size) const {
  ::posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
  while (size > 0) {
    const ssize_t got = ::pread(fd_, into, size, off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failure("read", path_);
    if (got == 0) return Error(Fault::Corrupt, fmt::format("read {}: it is cut off", path_));
    into += got;
    size -= size_t(got);
    offset += uint64_t(got);
  }
  return ok();
}

Result<void> NewFile::publish() {
  if (beside_.empty()) return ok();
  if (::fsync(fd_) != 0) return file_failure("sync", beside_);
  if (::rename(beside_.c_str(), path_.c_str()) != 0) return file_failure("rename into", path_);
  beside_.clear();
  return ok();
}

}  // namespace holdfast::repo
