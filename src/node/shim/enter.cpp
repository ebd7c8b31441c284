// The pod's own namespaces, and processes that join a container's.
#include <holdfast/base/files.h>
#include <holdfast/base/walls.h>

#include "shim/calls.h"
#include "shim/cgroups.h"
#include "shim/launch.h"
#include "users/user_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// programs.S
extern "C" const char holdfast_init_begin[];
extern "C" const char holdfast_init_end[];
extern "C" const char holdfast_holder_begin[];
extern "C" const char holdfast_holder_end[];

namespace holdfast::node {
namespace {

Result<void> mount_shm(const std::filesystem::path& folder, uid_t owner) {
  HF_TRY(make_folder(folder, 0755));
  const std::string options = fmt::format("mode=1777,size=65536k,uid={0},gid={0}", owner);
  if (mount("shm", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options.c_str()) != 0)
    return system_error("mount the pod's shared memory", errno);
  return {};
}

Result<Fd> own_processes() {
  Fd space(::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
  if (!space) return system_error("open the shim's PID namespace", errno);
  return space;
}

/// The containers see this process: it has nothing of the machine's, not even its root.
[[noreturn]] void hold_processes(const PodPlace& place) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  forget_signals();
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::filesystem::path empty = place.folder / "root";
  if (chroot(empty.c_str()) != 0 || chdir("/") != 0) _exit(128);
  place_descriptors({null.get(), null.get(), null.get(), place.holder.get()});
  fcntl(kInit, F_SETFD, FD_CLOEXEC);
  syscall(SYS_close_range, unsigned(kInit + 1), ~0U, 0U);
  execute(kInit, "holder");
  _exit(128);
}

/// A PID namespace that lives as long as its holder, which lives no longer than this process.
Result<Fd> shared_processes(const PodPlace& place) {
  const Fd own = HF_TRY(own_processes());
  if (unshare(CLONE_NEWPID) != 0) return system_error("make the pod's PID namespace", errno);
  const pid_t pid = fork();
  if (pid < 0) return system_error("make the pod's PID namespace", errno);
  if (pid == 0) hold_processes(place);
  Fd space(::open(fmt::format("/proc/{}/ns/pid", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!space || setns(own.get(), CLONE_NEWPID) != 0)
    return system_error("enter the pod's PID namespace", errno);
  return space;
}

[[noreturn]] void become_process(const PodPlace& place, const Fd& container,
                                 const std::string& cgroup, const std::vector<int>& descriptors,
                                 bool tty) {
  setsid();
  if (!cgroup.empty()) Cgroup(cgroup).join();
  if (setns(container.get(), CLONE_NEWNS) != 0) _exit(128);
  if (place.users && !join_users(place.users)) _exit(128);
  place_descriptors(descriptors);
  if (tty) ioctl(0, TIOCSCTTY, 0);
  forget_signals();
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  execute(kInit, "init");
  _exit(128);
}

}  // namespace

Result<PodPlace> take_place(const std::filesystem::path& folder) {
  // Copies of this process are seen in the pod's PID namespaces until they have become something
  // else: its memory, descriptors and program are nobody's there.
  prctl(PR_SET_DUMPABLE, 0);
  PodPlace place;
  place.folder = folder;
  place.sandbox = HF_TRY(read_sandbox(folder / "pod.json"));
  if (unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC) != 0)
    return system_error("make the pod's namespaces", errno).with_hint("the node must run as root");
  // Mounts of the machine come in (a pool of volumes mounted later), ours stay here and go with us.
  if (mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return system_error("keep the pod's mounts to itself", errno);
  sethostname(place.sandbox.hostname.data(), place.sandbox.hostname.size());
  HF_TRY(mount_shm(folder / "shm", place.outside(0)));
  // Where the range of ids is locked: not for the pod's processes.
  fcntl(kHeldLock, F_SETFD, FD_CLOEXEC);
  if (place.sandbox.users != 0)
    place.users = HF_TRY(make_user_namespace(uint32_t(place.sandbox.users)));
  HF_TRY(make_folder(folder / "root", 0755));
  place.init = HF_TRY(memory_program(
      "init", {holdfast_init_begin, size_t(holdfast_init_end - holdfast_init_begin)}));
  place.holder = HF_TRY(memory_program(
      "holder", {holdfast_holder_begin, size_t(holdfast_holder_end - holdfast_holder_begin)}));
  if (place.sandbox.share_processes) place.processes = HF_TRY(shared_processes(place));
  if (!place.sandbox.cgroup.empty()) {
    const Result<void> made = Cgroup(place.sandbox.cgroup).make({.pids = place.sandbox.pids_limit});
    if (!made) place.sandbox.cgroup.clear();
  }
  return place;
}

Result<Entered> enter(const PodPlace& place, const Launched& container, const std::string& cgroup,
                      const ProcessSpec& process, int input, int output, int error) {
  const Fd own = HF_TRY(own_processes());
  const bool filtered = container.filter && wall_stands("system calls are filtered");
  const Fd spec = HF_TRY(memory_file("process", init_words(process, filtered)));
  Pipe report = HF_TRY(make_pipe());
  give_ends({input, output, error}, place.outside(process.uid));
  if (setns(container.first.get(), CLONE_NEWPID) != 0)
    return system_error("enter the container's PID namespace", errno);
  const pid_t pid = fork();
  if (pid == 0)
    become_process(place, container.first, cgroup,
                   {input, output, error, place.init.get(), spec.get(), report.write.get(),
                    filtered ? container.filter.get() : input},
                   process.tty);
  const int cause = errno;
  setns(own.get(), CLONE_NEWPID);
  if (pid < 0) return system_error("make a process in the container", cause);
  return Entered{pid, std::move(report.read)};
}

}  // namespace holdfast::node
