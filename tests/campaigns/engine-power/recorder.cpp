// Loaded before the C library (LD_PRELOAD) into a program whose power is to be cut: writes down
// everything that it does to a folder, so that any state can be made which a disk may show after a
// cut. disk.py reads it.
//
//   HOLDFAST_POWER_ROOT    the folder
//   HOLDFAST_POWER_LOG     where to write
//   HOLDFAST_POWER_KILL    the process kills itself before its operation of this number
//   HOLDFAST_POWER_LIES    a sync of "files" or "folders" is not carried out, and called done
//
// Record, little endian, in the order in which the operations happened:
//   u32 bytes that follow | u8 operation | u8 flags | u32 said | u32 handle | u64 number |
//   u16 length, path | u16 length, second path | data
// said: how much had been written to standard output, a file, before. Paths are relative to the
// folder.
//   o open: handle, path; flags 1 it was made, 2 emptied     w write: handle, number = offset, data
//   t truncate: handle, number = size                        s sync: handle
//   r rename, l link: both paths                             u unlink, m mkdir, d rmdir: path
// A sync only stands in the log: the machine does not go down, and so the run is quick.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

struct Operation {
  char kind = 0;
  uint8_t flags = 0;
  uint32_t handle = 0;
  uint64_t number = 0;
  std::string path{}, second{};
  std::string_view data{};
};

class Recorder {
 public:
  /// Never destroyed: threads may still work while the process ends.
  static Recorder& get() {
    static auto* const recorder = new Recorder;
    return *recorder;
  }

  /// Held while an operation is done and written down, so that the log has the true order.
  std::unique_lock<std::recursive_mutex> hold() {
    return std::unique_lock<std::recursive_mutex>(mutex_);
  }

  std::optional<std::string> inside(const char* path) const {
    const std::string_view whole = path;
    if (root_.empty() || !whole.starts_with(root_)) return {};
    if (whole.size() == root_.size()) return "";
    if (whole[root_.size()] != '/') return {};
    return std::string(whole.substr(root_.size() + 1));
  }

  void opened(int fd, const std::string& path, uint8_t flags) {
    handles_[fd] = ++last_handle_;
    write({.kind = 'o', .flags = flags, .handle = last_handle_, .path = path});
  }
  void closed(int fd) { handles_.erase(fd); }
  std::optional<uint32_t> handle(int fd) const {
    const auto found = handles_.find(fd);
    return found == handles_.end() ? std::nullopt : std::optional(found->second);
  }

  bool lies_about(int fd) const {
    struct stat info {};
    const bool folder = ::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    return lies_ == (folder ? "folders" : "files");
  }

  /// Before an operation: the moment at which the process may die.
  void step() {
    if (kill_ != 0 && ++steps_ == kill_) ::kill(::getpid(), SIGKILL);
  }

  void write(const Operation& operation) {
    std::string record;
    const auto put = [&record](auto value) {
      record.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    struct stat out {};
    const bool known = ::fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode);
    put(operation.kind);
    put(operation.flags);
    put(uint32_t(known ? out.st_size : 0));
    put(operation.handle);
    put(operation.number);
    for (const std::string& path : {operation.path, operation.second}) {
      put(uint16_t(path.size()));
      record += path;
    }
    record += operation.data;
    const auto size = uint32_t(record.size());
    record.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
    // Past our own write().
    for (std::string_view left = record; !left.empty();) {
      const long written = ::syscall(SYS_write, log_, left.data(), left.size());
      if (written < 0) std::abort();
      left.remove_prefix(size_t(written));
    }
  }

 private:
  Recorder()
      : root_(variable("HOLDFAST_POWER_ROOT")),
        lies_(variable("HOLDFAST_POWER_LIES")),
        kill_(std::strtoull(variable("HOLDFAST_POWER_KILL").c_str(), nullptr, 10)) {
    const std::string path = variable("HOLDFAST_POWER_LOG");
    log_ = int(::syscall(SYS_openat, AT_FDCWD, path.c_str(),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (log_ < 0) root_.clear();
  }

  std::recursive_mutex mutex_;
  std::string root_, lies_;
  uint64_t kill_ = 0, steps_ = 0;
  int log_ = -1;
  uint32_t last_handle_ = 0;
  std::map<int, uint32_t> handles_;
};

/// What to do with one or two paths that only a change of names is asked of.
template <class Do>
int named(char kind, const char* path, const char* second, Do&& carry_out) {
  Recorder& recorder = Recorder::get();
  const auto first = recorder.inside(path);
  const auto other = second != nullptr ? recorder.inside(second) : std::nullopt;
  if (!first && !other) return carry_out();
  const auto held = recorder.hold();
  recorder.step();
  const int done = carry_out();
  if (done == 0)
    recorder.write({.kind = kind,
                    .path = first.value_or("?"),
                    .second = second != nullptr ? other.value_or("?") : ""});
  return done;
}

template <class Do>
int open_path(const char* path, int flags, Do&& carry_out) {
  Recorder& recorder = Recorder::get();
  const auto held = recorder.hold();
  const auto inner = recorder.inside(path);
  struct stat info {};
  const bool changes = (flags & (O_CREAT | O_TRUNC)) != 0;
  const bool there = inner && changes && ::lstat(path, &info) == 0;
  if (inner && changes) recorder.step();
  const int fd = carry_out();
  if (fd < 0) return fd;
  recorder.closed(fd);
  const bool made = (flags & O_CREAT) != 0 && !there, emptied = (flags & O_TRUNC) != 0 && there;
  if (inner) recorder.opened(fd, *inner, uint8_t((made ? 1 : 0) | (emptied ? 2 : 0)));
  return fd;
}

/// `offset` below zero: where the descriptor stands.
template <class Do>
ssize_t write_some(int fd, off_t offset, const void* bytes, Do&& carry_out) {
  Recorder& recorder = Recorder::get();
  auto held = recorder.hold();
  const auto handle = recorder.handle(fd);
  if (!handle) {
    held.unlock();
    return carry_out();
  }
  recorder.step();
  struct stat info {};
  if ((::fcntl(fd, F_GETFL) & O_APPEND) != 0 && ::fstat(fd, &info) == 0)
    offset = info.st_size;
  else if (offset < 0)
    offset = ::lseek(fd, 0, SEEK_CUR);
  const ssize_t written = carry_out();
  if (written > 0)
    recorder.write({.kind = 'w',
                    .handle = *handle,
                    .number = uint64_t(offset),
                    .data = {static_cast<const char*>(bytes), size_t(written)}});
  return written;
}

template <class Do>
int truncate_to(int fd, off_t size, Do&& carry_out) {
  Recorder& recorder = Recorder::get();
  const auto held = recorder.hold();
  const auto handle = recorder.handle(fd);
  if (handle) recorder.step();
  const int done = carry_out();
  if (handle && done == 0)
    recorder.write({.kind = 't', .handle = *handle, .number = uint64_t(size)});
  return done;
}

template <class Do>
int sync_one(int fd, Do&& carry_out) {
  Recorder& recorder = Recorder::get();
  auto held = recorder.hold();
  const auto handle = recorder.handle(fd);
  if (!handle) {
    held.unlock();
    return carry_out();
  }
  recorder.step();
  if (!recorder.lies_about(fd)) recorder.write({.kind = 's', .handle = *handle});
  return 0;
}

mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  static auto* const next = real<int(const char*, int, mode_t)>("open");
  return open_path(path, flags, [&] { return next(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  static auto* const next = real<int(const char*, int, mode_t)>("open64");
  return open_path(path, flags, [&] { return next(path, flags, mode); });
}

int close(int fd) {
  static auto* const next = real<int(int)>("close");
  Recorder& recorder = Recorder::get();
  const auto held = recorder.hold();
  recorder.closed(fd);
  return next(fd);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const next = real<ssize_t(int, const void*, size_t)>("write");
  return write_some(fd, -1, bytes, [&] { return next(fd, bytes, size); });
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  static auto* const next = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return write_some(fd, offset, bytes, [&] { return next(fd, bytes, size, offset); });
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  static auto* const next = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return write_some(fd, offset, bytes, [&] { return next(fd, bytes, size, offset); });
}

int ftruncate(int fd, off_t size) noexcept {
  static auto* const next = real<int(int, off_t)>("ftruncate");
  return truncate_to(fd, size, [&] { return next(fd, size); });
}

int ftruncate64(int fd, off64_t size) noexcept {
  static auto* const next = real<int(int, off64_t)>("ftruncate64");
  return truncate_to(fd, size, [&] { return next(fd, size); });
}

int fsync(int fd) {
  static auto* const next = real<int(int)>("fsync");
  return sync_one(fd, [&] { return next(fd); });
}

int fdatasync(int fd) {
  static auto* const next = real<int(int)>("fdatasync");
  return sync_one(fd, [&] { return next(fd); });
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = real<int(const char*, const char*)>("rename");
  return named('r', from, to, [&] { return next(from, to); });
}

int link(const char* from, const char* to) noexcept {
  static auto* const next = real<int(const char*, const char*)>("link");
  return named('l', from, to, [&] { return next(from, to); });
}

int unlink(const char* path) noexcept {
  static auto* const next = real<int(const char*)>("unlink");
  return named('u', path, nullptr, [&] { return next(path); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const next = real<int(const char*, mode_t)>("mkdir");
  return named('m', path, nullptr, [&] { return next(path, mode); });
}

int rmdir(const char* path) noexcept {
  static auto* const next = real<int(const char*)>("rmdir");
  return named('d', path, nullptr, [&] { return next(path); });
}

}  // extern "C"
