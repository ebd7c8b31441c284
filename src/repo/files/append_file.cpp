#include "files/append_file.h"

#include "files/failure.h"
#include "files/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::repo {

Result<AppendFile> AppendFile::open(const std::string& path) {
  HF_TRY(make_output_folders(path.substr(0, path.rfind('/'))));
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return file_failure("open", path);
  return AppendFile(fd, path);
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> AppendFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_failure("write", path_);
    bytes.remove_prefix(size_t(written));
  }
  return ok();
}

uint64_t AppendFile::size() const {
  struct stat info {};
  return ::fstat(fd_, &info) == 0 ? uint64_t(info.st_size) : 0;
}

void AppendFile::remove() { ::unlink(path_.c_str()); }

}  // namespace holdfast::repo
