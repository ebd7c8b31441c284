#include "seccomp/filter.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

#include "shim/descriptors.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <set>
#include <string>

namespace holdfast::node {
namespace {

// By what they are about. A call that this architecture has not is left out.
constexpr std::string_view kAlways[] = {
    // files by name
    "access chdir chmod chown chown32 creat faccessat faccessat2 fchmodat fchownat fstatat64 "
    "futimesat getcwd lchown lchown32 link linkat lstat lstat64 mkdir mkdirat mknod mknodat "
    "name_to_handle_at newfstatat open openat openat2 readlink readlinkat rename renameat "
    "renameat2 rmdir stat stat64 statfs statfs64 statx symlink symlinkat truncate truncate64 "
    "umask unlink unlinkat utime utimensat utimensat_time64 utimes",
    // files by descriptor
    "arm_fadvise64_64 arm_sync_file_range close close_range copy_file_range dup dup2 dup3 "
    "fadvise64 fadvise64_64 fallocate fchdir fchmod fchown fchown32 fcntl fcntl64 fdatasync "
    "flock fstat fstat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 getdents getdents64 "
    "ioctl _llseek lseek pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read "
    "readahead readv sendfile sendfile64 splice sync sync_file_range sync_file_range2 syncfs "
    "tee vmsplice write writev",
    // extended attributes, notification
    "fanotify_mark fgetxattr flistxattr fremovexattr fsetxattr getxattr inotify_add_watch "
    "inotify_init inotify_init1 inotify_rm_watch lgetxattr listxattr llistxattr lremovexattr "
    "lsetxattr removexattr setxattr",
    // memory
    "brk cacheflush madvise membarrier memfd_create memfd_secret mincore mlock mlock2 "
    "mlockall mmap mmap2 mprotect mremap msync munlock munlockall munmap pkey_alloc pkey_free "
    "pkey_mprotect process_mrelease remap_file_pages riscv_flush_icache",
    // processes and threads
    "arch_prctl breakpoint capget capset execve execveat exit exit_group fork futex "
    "futex_time64 futex_waitv get_robust_list get_thread_area getpgid getpgrp getpid getppid "
    "getsid gettid kill modify_ldt pause pidfd_open pidfd_send_signal prctl process_vm_readv "
    "process_vm_writev ptrace restart_syscall rseq seccomp set_robust_list set_thread_area "
    "set_tid_address set_tls setpgid setsid swapcontext tgkill tkill vfork wait4 waitid "
    "waitpid",
    // who a process is, what it may use
    "getcpu getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 "
    "getpriority getresgid getresgid32 getresuid getresuid32 getrlimit getrusage getuid "
    "getuid32 ioprio_get ioprio_set landlock_add_rule landlock_create_ruleset "
    "landlock_restrict_self prlimit64 sched_get_priority_max sched_get_priority_min "
    "sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval "
    "sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam "
    "sched_setscheduler sched_yield setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 "
    "setgroups setgroups32 setpriority setregid setregid32 setresgid setresgid32 setresuid "
    "setresuid32 setreuid setreuid32 setrlimit setuid setuid32 sysinfo times ugetrlimit uname",
    // signals
    "rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend "
    "rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sigaltstack signalfd signalfd4 "
    "sigprocmask sigreturn",
    // time
    "adjtimex alarm clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 "
    "clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64 getitimer "
    "gettimeofday nanosleep setitimer time timer_create timer_delete timer_getoverrun "
    "timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create "
    "timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64",
    // waiting for descriptors, asynchronous files, randomness
    "epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait "
    "epoll_wait_old eventfd eventfd2 getrandom io_cancel io_destroy io_getevents "
    "io_pgetevents io_pgetevents_time64 io_setup io_submit _newselect poll ppoll ppoll_time64 "
    "pselect6 pselect6_time64 select",
    // sockets, queues, shared memory
    "accept accept4 bind connect getpeername getsockname getsockopt ipc listen mq_getsetattr "
    "mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend "
    "mq_timedsend_time64 mq_unlink msgctl msgget msgrcv msgsnd recv recvfrom recvmmsg "
    "recvmmsg_time64 recvmsg semctl semget semop semtimedop semtimedop_time64 send sendmmsg "
    "sendmsg sendto setsockopt shmat shmctl shmdt shmget shutdown socketcall socketpair",
};

struct WithCapability {
  int capability;
  std::string_view calls;
};
constexpr WithCapability kWithCapability[] = {
    {CAP_DAC_READ_SEARCH, "open_by_handle_at"},
    {CAP_SYS_ADMIN,
     "bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount "
     "mount_setattr move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname "
     "sethostname setns syslog umount umount2 unshare"},
    {CAP_SYS_BOOT, "reboot"},
    {CAP_SYS_CHROOT, "chroot"},
    {CAP_SYS_MODULE, "delete_module finit_module init_module"},
    {CAP_SYS_PACCT, "acct"},
    {CAP_SYS_PTRACE, "kcmp pidfd_getfd process_madvise"},
    {CAP_SYS_RAWIO, "ioperm iopl"},
    {CAP_SYS_TIME, "clock_settime clock_settime64 settimeofday stime"},
    {CAP_SYS_TTY_CONFIG, "vhangup"},
    {CAP_SYS_NICE, "get_mempolicy mbind set_mempolicy set_mempolicy_home_node"},
    {CAP_SYSLOG, "syslog"},
    {CAP_BPF, "bpf"},
    {CAP_PERFMON, "perf_event_open"},
};

constexpr uint64_t kNamespaces[] = {CLONE_NEWNS,  CLONE_NEWUTS, CLONE_NEWIPC,   CLONE_NEWUSER,
                                    CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWCGROUP};
// Its arguments are in a structure that the filter cannot see: libraries go on with clone.
constexpr std::string_view kUnseen = "clone3";
// PER_LINUX, PER_LINUX32, the two with UNAME26, and the question which it is.
constexpr uint64_t kPersonalities[] = {0, 8, 0x20000, 0x20008, 0xffffffff};
// Beyond the last number that any architecture has by far.
constexpr int kNumbers = 1024;

class Filter {
 public:
  /// Until the end of it, an error stays.
  explicit Filter(uint64_t capabilities) : context_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS))) {
    if (context_ == nullptr) return;
    add_architectures();
    for (const std::string_view calls : kAlways) allow(calls);
    for (const WithCapability& each : kWithCapability)
      if ((capabilities >> each.capability & 1) != 0) allow(each.calls);
    if (!allowed_.contains("clone")) allow_clone();
    for (const uint64_t personality : kPersonalities)
      rule("personality", SCMP_ACT_ALLOW, {SCMP_A0(SCMP_CMP_EQ, personality)});
    // Of the machine's hypervisor.
    rule("socket", SCMP_ACT_ALLOW, {SCMP_A0(SCMP_CMP_NE, AF_VSOCK)});
    rule("socket", SCMP_ACT_ERRNO(EPERM), {SCMP_A0(SCMP_CMP_EQ, AF_VSOCK)});
    refuse_others();
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() { seccomp_release(context_); }

  Result<std::string> program() const {
    if (context_ == nullptr || failed_ != 0)
      return system_error("make the filter of system calls", failed_ != 0 ? -failed_ : ENOMEM);
    const Fd file(memfd_create("filter", MFD_CLOEXEC));
    const int exported = seccomp_export_bpf(context_, file.get());
    if (exported != 0) return system_error("write the filter of system calls", -exported);
    return read_file(fmt::format("/proc/self/fd/{}", file.get()));
  }

 private:
  void add_architectures() {
    const uint32_t own = seccomp_arch_native();
    // As on the field's nodes, programs of the smaller sibling run too.
    if (own == SCMP_ARCH_X86_64) note(seccomp_arch_add(context_, SCMP_ARCH_X86));
    if (own == SCMP_ARCH_AARCH64) note(seccomp_arch_add(context_, SCMP_ARCH_ARM));
    note(seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)));
    note(seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2));  // a tree, not a list
  }

  void allow(std::string_view calls) {
    for (const std::string_view call : split(calls, ' '))
      if (allowed_.insert(std::string(call)).second) rule(std::string(call), SCMP_ACT_ALLOW, {});
  }

  void allow_clone() {
    uint64_t any = 0;
    for (const uint64_t space : kNamespaces) {
      any |= space;
      rule("clone", SCMP_ACT_ERRNO(EPERM), {SCMP_A0(SCMP_CMP_MASKED_EQ, space, space)});
    }
    rule("clone", SCMP_ACT_ALLOW, {SCMP_A0(SCMP_CMP_MASKED_EQ, any, 0)});
  }

  /// All that this architecture has, and that is known, but not allowed.
  void refuse_others() {
    for (int number = 0; number < kNumbers; ++number) {
      const std::unique_ptr<char, decltype(&free)> name(
          seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number), free);
      if (!name || named_.contains(name.get()) || name.get() == kUnseen) continue;
      rule(name.get(), SCMP_ACT_ERRNO(EPERM), {});
    }
  }

  void rule(const std::string& call, uint32_t action, std::initializer_list<scmp_arg_cmp> of) {
    named_.insert(call);
    const int number = seccomp_syscall_resolve_name(call.c_str());
    if (number == __NR_SCMP_ERROR) return;  // newer than the library
    note(seccomp_rule_add_array(context_, action, number, unsigned(of.size()), of.begin()));
  }

  void note(int result) {
    if (result < 0 && failed_ == 0) failed_ = result;
  }

  scmp_filter_ctx context_;
  std::set<std::string> allowed_, named_;
  int failed_ = 0;
};

}  // namespace

Result<std::string> seccomp_program(uint64_t capabilities) {
  return Filter(capabilities).program();
}

Result<std::filesystem::path> SeccompFilters::file_for(uint64_t capabilities) {
  const Lock lock(mutex_);
  std::filesystem::path& file = files_[capabilities];
  if (!file.empty()) return file;
  const std::string program = HF_TRY(seccomp_program(capabilities));
  const std::filesystem::path made = folder_ / hex(sha256(program));
  HF_TRY(make_folder(folder_, 0700));
  HF_TRY(write_file(made, program, 0600));
  return file = made;
}

}  // namespace holdfast::node
