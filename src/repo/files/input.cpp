#include "files/input.h"

#include "files/failure.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace holdfast::repo {
namespace {

EntryKind kind_of(const std::string& folder, const dirent& entry) {
  switch (entry.d_type) {
    case DT_DIR:
      return EntryKind::Folder;
    case DT_REG:
      return EntryKind::File;
    case DT_UNKNOWN:
      break;
    default:
      return EntryKind::Other;
  }
  // Some file systems do not say; gone by now is whatever the reader finds.
  struct stat info {};
  if (::lstat((folder + "/" + entry.d_name).c_str(), &info) != 0) return EntryKind::Other;
  if (S_ISDIR(info.st_mode)) return EntryKind::Folder;
  return S_ISREG(info.st_mode) ? EntryKind::File : EntryKind::Other;
}

}  // namespace

Result<std::vector<Entry>> list_folder(const std::string& path) {
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  const std::unique_ptr<DIR, Close> folder(::opendir(path.c_str()));
  if (!folder) return file_failure("open folder", path);
  std::vector<Entry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());  // NOLINT(concurrency-mt-unsafe): our own stream
    if (entry == nullptr && errno != 0) return file_failure("read folder", path);
    if (entry == nullptr) break;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    entries.push_back({entry->d_name, kind_of(path, *entry)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

Result<struct stat> stat_of(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return file_failure("stat", path);
  return info;
}

Result<struct stat> stat_behind(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return file_failure("stat", path);
  return info;
}

Result<std::string> real_path(const std::string& path) {
  std::error_code code;
  const std::filesystem::path real = std::filesystem::canonical(path, code);
  if (!code) return real.string();
  errno = code.value();
  return file_failure("follow", path);
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

std::string absolute_path(const std::string& path) {
  std::error_code code;
  const std::filesystem::path whole = std::filesystem::absolute(path, code).lexically_normal();
  std::string text = code ? path : whole.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

Result<InputFile> InputFile::open(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int fd = ::open(path.c_str(), kFlags | O_NOATIME);
  if (fd < 0 && errno == EPERM) fd = ::open(path.c_str(), kFlags);
  if (fd < 0) return file_failure("open", path);
  return InputFile(fd, path);
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<size_t> InputFile::read(char* into, size_t most) {
  size_t done = 0;
  while (done < most) {
    const ssize_t got = ::read(fd_, into + done, most - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failure("read", path_);
    if (got == 0) break;
    done += size_t(got);
  }
  return done;
}

Result<size_t> InputFile::read_at(uint64_t offset, char* into, size_t most) const {
  size_t done = 0;
  while (done < most) {
    const ssize_t got = ::pread(fd_, into + done, most - done, off_t(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failure("read", path_);
    if (got == 0) break;
    done += size_t(got);
  }
  return done;
}

Result<uint64_t> InputFile::size() {
  const off_t here = ::lseek(fd_, 0, SEEK_CUR), end = ::lseek(fd_, 0, SEEK_END);
  if (end < 0) return file_failure("find the end of", path_);
  ::lseek(fd_, here, SEEK_SET);
  return uint64_t(end);
}

Result<struct stat> InputFile::stat() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return file_failure("stat", path_);
  return info;
}

void InputFile::seek(uint64_t offset) { ::lseek(fd_, off_t(offset), SEEK_SET); }

uint64_t InputFile::hole_at(uint64_t offset) {
  const off_t here = ::lseek(fd_, 0, SEEK_CUR);
  off_t data = ::lseek(fd_, off_t(offset), SEEK_DATA);
  // No data behind it: the hole goes to the end.
  if (data < 0 && errno == ENXIO) data = ::lseek(fd_, 0, SEEK_END);
  ::lseek(fd_, here, SEEK_SET);
  return data > off_t(offset) ? uint64_t(data) - offset : 0;
}

}  // namespace holdfast::repo
