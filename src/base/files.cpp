#include <holdfast/base/descriptor.h>
#include <holdfast/base/files.h>
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

namespace holdfast {
namespace {

Error os_error(std::string_view doing, const std::filesystem::path& path) {
  const int cause = errno;
  Fault fault = Fault::Internal;
  if (cause == ENOENT) fault = Fault::NotFound;
  if (cause == EACCES || cause == EPERM || cause == EROFS) fault = Fault::Denied;
  if (cause == ENOSPC || cause == EDQUOT || cause == EIO) fault = Fault::Unavailable;
  return {fault,
          fmt::format("{} {}: {}", doing, path.string(), std::generic_category().message(cause))};
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes.remove_prefix(size_t(done));
  }
  return true;
}

/// From where it stands.
Result<std::string> read_from(int file, const std::filesystem::path& path, size_t most) {
  std::string bytes;
  char block[16384];
  while (bytes.size() < most) {
    const ssize_t got = read(file, block, std::min(sizeof block, most - bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error("read", path);
    if (got == 0) break;
    bytes.append(block, size_t(got));
  }
  return bytes;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  return read_start(path, std::numeric_limits<size_t>::max());
}

Result<std::string> read_start(const std::filesystem::path& path, size_t most) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) return os_error("read", path);
  return read_from(file.get(), path, most);
}

Result<std::string> read_end(const std::filesystem::path& path, size_t most) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat facts {};
  if (!file || fstat(file.get(), &facts) != 0) return os_error("read", path);
  if (uint64_t(facts.st_size) > most && lseek(file.get(), -off_t(most), SEEK_END) < 0)
    return os_error("read", path);
  return read_from(file.get(), path, most);
}

Result<std::string> read_secret_file(const std::filesystem::path& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat facts {};
  if (!file || fstat(file.get(), &facts) != 0) return os_error("read", path);
  if (facts.st_uid != 0 && facts.st_uid != geteuid())
    return Error(Fault::Denied, fmt::format("read {}: it holds secrets and belongs to another user "
                                            "(uid {})",
                                            path.string(), facts.st_uid))
        .with_hint(fmt::format("chown {} {}", geteuid(), path.string()));
  if ((facts.st_mode & 077) != 0 && wall_stands("files of secrets are their owner's"))
    return Error(Fault::Denied, fmt::format("read {}: it holds secrets and is open to other users "
                                            "(mode {:04o})",
                                            path.string(), facts.st_mode & 07777))
        .with_hint(fmt::format("chmod 600 {}", path.string()));
  return read_from(file.get(), path, std::numeric_limits<size_t>::max());
}

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode) {
  const std::filesystem::path beside = fmt::format("{}.{}.tmp", path.string(), getpid());
  {
    const Descriptor file{open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)};
    if (!file) return os_error("write", beside);
    if (fchmod(file.get(), mode) != 0 || !write_all(file.get(), bytes) || fsync(file.get()) != 0) {
      Error error = os_error("write", beside);
      unlink(beside.c_str());
      return error;
    }
  }
  if (rename(beside.c_str(), path.c_str()) != 0) return os_error("rename into", path);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor parent{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!parent || fsync(parent.get()) != 0) return os_error("sync", folder);
  return ok();
}

Result<void> own_as(const std::filesystem::path& path, const std::filesystem::path& like) {
  struct stat owned {};
  if (stat(like.c_str(), &owned) != 0) return os_error("look at", like);
  const Descriptor file{open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (!file || fchown(file.get(), owned.st_uid, owned.st_gid) != 0 || fsync(file.get()) != 0)
    return os_error("give away", path);
  return ok();
}

Result<FileWriter> FileWriter::create(const std::filesystem::path& path, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return os_error("write", path);
  return FileWriter(path, fd);
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

FileWriter::~FileWriter() {
  if (fd_ >= 0) close(fd_);
}

Result<void> FileWriter::write(std::string_view bytes) {
  if (!write_all(fd_, bytes)) return os_error("write", path_);
  return ok();
}

Result<void> FileWriter::finish() {
  // Pipes and terminals cannot be synced and need not be.
  if (fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) return os_error("sync", path_);
  return ok();
}

std::vector<std::string> matching_paths(const std::string& pattern) {
  std::vector<std::string> out;
  glob_t found{};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only ~ would look at what threads share.
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return out;
}

Result<void> make_folder(const std::filesystem::path& path, mode_t mode) {
  if (path.empty() || std::filesystem::is_directory(path)) return ok();
  if (path.has_parent_path() && path.parent_path() != path)
    HF_TRY(make_folder(path.parent_path(), mode));
  if (mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return os_error("make folder", path);
  return ok();
}

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return os_error("open", path);
  FolderLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    char pid[32] = {};
    const ssize_t got = pread(fd, pid, sizeof pid - 1, 0);
    const std::string_view holder = got > 0 ? trim({pid, size_t(got)}) : "unknown";
    return Error(Fault::Conflict, fmt::format("{} is in use by pid {}", folder.string(), holder))
        .with_hint("stop that process, or choose another --data-dir");
  }
  const std::string mine = fmt::format("{}\n", getpid());
  if (ftruncate(fd, 0) != 0 || pwrite(fd, mine.data(), mine.size(), 0) != ssize_t(mine.size()))
    return os_error("write", path);
  return lock;
}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace holdfast
