#include "users/user_namespace.h"

#include "rootfs/mounts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::node {
namespace {

/// A process that does nothing but be in a new user namespace, until it is let go.
class Resident {
 public:
  Resident() {
    Result<Pipe> up = make_pipe();
    if (!up) return;
    pid_ = fork();
    if (pid_ == 0) {
      const char cause = unshare(CLONE_NEWUSER) == 0 ? 0 : char(errno);
      static_cast<void>(!::write(up->write.get(), &cause, 1));
      for (;;) pause();
    }
    char cause = EIO;
    fcntl(up->read.get(), F_SETFL, 0);
    if (pid_ > 0 && ::read(up->read.get(), &cause, 1) != 1) cause = EIO;
    failed_ = cause;
  }
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;
  ~Resident() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  int failed() const { return pid_ > 0 ? failed_ : EAGAIN; }

 private:
  pid_t pid_ = -1;
  int failed_ = EIO;
};

Result<void> write_map(pid_t pid, const char* map, uint32_t first) {
  const Fd file(::open(fmt::format("/proc/{}/{}", pid, map).c_str(), O_WRONLY | O_CLOEXEC));
  const std::string line = fmt::format("0 {} {}\n", first, kIdsOfPod);
  if (!file || ::write(file.get(), line.data(), line.size()) != ssize_t(line.size()))
    return system_error(fmt::format("give the user namespace its ids ({})", map), errno);
  return {};
}

}  // namespace

Result<Fd> make_user_namespace(uint32_t first) {
  const Resident resident;
  if (resident.failed() != 0) return system_error("make a user namespace", resident.failed());
  HF_TRY(write_map(resident.pid(), "uid_map", first));
  HF_TRY(write_map(resident.pid(), "gid_map", first));
  Fd users(::open(fmt::format("/proc/{}/ns/user", resident.pid()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!users) return system_error("open a user namespace", errno);
  return users;
}

Result<void> translate_ids(const Fd& mount, const Fd& users, Translated what) {
  mount_attr wanted{};
  wanted.attr_set = MOUNT_ATTR_IDMAP;
  wanted.userns_fd = uint64_t(users.get());
  const unsigned flags = AT_EMPTY_PATH | (what == Translated::All ? AT_RECURSIVE : 0);
  if (mount_setattr(mount.get(), "", flags, &wanted, sizeof wanted) != 0)
    return system_error("show its ids in the pod's user namespace", errno);
  return {};
}

Result<void> make_files_as(uint32_t id) {
  setfsgid(id);
  setfsuid(id);
  // The kernel took the rights over files away with the id.
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (syscall(SYS_capget, &header, data) != 0) return system_error("read the rights", errno);
  for (__user_cap_data_struct& half : data) half.effective = half.permitted;
  if (syscall(SYS_capset, &header, data) != 0) return system_error("keep the rights", errno);
  return {};
}

Result<void> join_users(const Fd& users) {
  if (setns(users.get(), CLONE_NEWUSER) != 0 || setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0)
    return system_error("enter the pod's user namespace", errno);
  return {};
}

}  // namespace holdfast::node
