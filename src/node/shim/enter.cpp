// The pod's own namespaces, and processes that join a container's.
#include <holdfast/base/files.h>

#include "shim/cgroups.h"
#include "shim/launch.h"

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

// init_bytes.S
extern "C" const char holdfast_init_begin[];
extern "C" const char holdfast_init_end[];

namespace holdfast::node {
namespace {

Result<void> mount_shm(const std::filesystem::path& folder) {
  HF_TRY(make_folder(folder, 0755));
  if (mount("shm", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
            "mode=1777,size=65536k") != 0)
    return system_error("mount the pod's shared memory", errno);
  return {};
}

/// A process that does nothing but hold the PID namespace which the containers share, and reap what
/// they leave.
Result<Fd> shared_processes() {
  if (unshare(CLONE_NEWPID) != 0) return system_error("make the pod's PID namespace", errno);
  const pid_t pid = fork();
  if (pid < 0) return system_error("make the pod's PID namespace", errno);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    for (;;) sigsuspend(&none);
  }
  Fd space(::open(fmt::format("/proc/{}/ns/pid", pid).c_str(), O_RDONLY | O_CLOEXEC));
  const Fd own(::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
  if (!space || !own || setns(own.get(), CLONE_NEWPID) != 0)
    return system_error("enter the pod's PID namespace", errno);
  return space;
}

Result<Fd> namespace_of(pid_t pid, const char* kind) {
  Fd space(::open(fmt::format("/proc/{}/ns/{}", pid, kind).c_str(), O_RDONLY | O_CLOEXEC));
  if (!space)
    return system_error(fmt::format("open the {} namespace of process {}", kind, pid), errno);
  return space;
}

[[noreturn]] void become_process(int mounts, const std::string& cgroup,
                                 const std::vector<int>& descriptors, bool tty) {
  setsid();
  if (!cgroup.empty()) Cgroup(cgroup).join();
  if (setns(mounts, CLONE_NEWNS) != 0) _exit(128);
  place_descriptors(descriptors);
  if (tty) ioctl(0, TIOCSCTTY, 0);
  forget_signals();
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  char name[] = "init";
  char* arguments[] = {name, nullptr};
  char* environment[] = {nullptr};
  syscall(SYS_execveat, 3, "", arguments, environment, AT_EMPTY_PATH);
  _exit(128);
}

}  // namespace

Result<PodPlace> take_place(const std::filesystem::path& folder) {
  PodPlace place;
  place.folder = folder;
  place.sandbox = HF_TRY(read_sandbox(folder / "pod.json"));
  if (unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC) != 0)
    return system_error("make the pod's namespaces", errno).with_hint("the node must run as root");
  // Mounts of the machine come in (a pool of volumes mounted later), ours stay here and go with us.
  if (mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return system_error("keep the pod's mounts to itself", errno);
  sethostname(place.sandbox.hostname.data(), place.sandbox.hostname.size());
  HF_TRY(mount_shm(folder / "shm"));
  HF_TRY(make_folder(folder / "root", 0755));
  place.init = HF_TRY(
      memory_file("init", {holdfast_init_begin, size_t(holdfast_init_end - holdfast_init_begin)}));
  fchmod(place.init.get(), 0755);
  if (place.sandbox.share_processes) place.processes = HF_TRY(shared_processes());
  if (!place.sandbox.cgroup.empty()) {
    const Result<void> made = Cgroup(place.sandbox.cgroup).make({.pids = place.sandbox.pids_limit});
    if (!made) place.sandbox.cgroup.clear();
  }
  return place;
}

Result<Entered> enter(const PodPlace& place, pid_t container, const std::string& cgroup,
                      const ProcessSpec& process, int input, int output, int error) {
  const Fd mounts = HF_TRY(namespace_of(container, "mnt"));
  const Fd processes = HF_TRY(namespace_of(container, "pid"));
  const Fd own = HF_TRY(namespace_of(getpid(), "pid"));
  const Fd spec = HF_TRY(memory_file("process", init_words(process)));
  Pipe report = HF_TRY(make_pipe());
  if (setns(processes.get(), CLONE_NEWPID) != 0)
    return system_error("enter the container's PID namespace", errno);
  const pid_t pid = fork();
  if (pid == 0)
    become_process(mounts.get(), cgroup,
                   {input, output, error, place.init.get(), spec.get(), report.write.get()},
                   process.tty);
  const int cause = errno;
  setns(own.get(), CLONE_NEWPID);
  if (pid < 0) return system_error("make a process in the container", cause);
  return Entered{pid, std::move(report.read)};
}

}  // namespace holdfast::node
