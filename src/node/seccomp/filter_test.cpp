#include "seccomp/filter.h"

#include <holdfast/base/files.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace holdfast::node {
namespace {

constexpr uint64_t kNone = 0, kAdmin = uint64_t(1) << CAP_SYS_ADMIN;

/// What a call gave in a process under the filter: its errno, 0 if it went well.
int tried(uint64_t capabilities, const std::function<long()>& call) {
  static std::map<uint64_t, std::string> made;
  std::string& program = made[capabilities];
  if (program.empty()) program = *seccomp_program(capabilities);
  const pid_t pid = fork();
  if (pid == 0) {
    sock_fprog filter{static_cast<unsigned short>(program.size() / sizeof(sock_filter)),
                      reinterpret_cast<sock_filter*>(program.data())};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) _exit(255);
    _exit(call() < 0 ? errno : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SeccompFilter, LetsOrdinaryCallsPass) {
  EXPECT_EQ(tried(kNone, [] { return syscall(SYS_getpid); }), 0);
  EXPECT_EQ(tried(kNone, [] { return syscall(SYS_openat, AT_FDCWD, "/", 0); }), 0);
  EXPECT_EQ(tried(kNone, [] { return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); }), 0);
  EXPECT_EQ(tried(kNone, [] { return syscall(SYS_personality, 0xffffffff); }), 0);
}

TEST(SeccompFilter, RefusesWhatContainersHaveNoUseFor) {
  for (const long call :
       {SYS_keyctl, SYS_add_key, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup,
        SYS_mount, SYS_unshare, SYS_setns, SYS_open_by_handle_at, SYS_kexec_load, SYS_swapon,
        SYS_init_module, SYS_move_mount, SYS_open_tree, SYS_syslog, SYS_chroot})
    EXPECT_EQ(tried(kNone, [call] { return syscall(call, 0, 0, 0, 0, 0); }), EPERM) << call;
}

TEST(SeccompFilter, LetsProcessesBeMadeButNoNamespaces) {
  const auto clone = [](unsigned long flags) {
    return [flags] {
      const long made = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
      if (made == 0) _exit(0);
      return made;
    };
  };

  EXPECT_EQ(tried(kNone, clone(0)), 0);
  for (const unsigned long space : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET})
    EXPECT_EQ(tried(kNone, clone(space)), EPERM) << space;
  EXPECT_EQ(tried(kNone, clone(CLONE_NEWUSER | CLONE_NEWNS)), EPERM);
}

TEST(SeccompFilter, SaysOfCallsThatItCannotJudgeThatTheyAreNotThere) {
  EXPECT_EQ(tried(kNone, [] { return syscall(SYS_clone3, nullptr, 0); }), ENOSYS);
  EXPECT_EQ(tried(kNone, [] { return syscall(9999); }), ENOSYS);
}

TEST(SeccompFilter, KeepsFromTheHypervisorAndFromOtherPersonalities) {
  EXPECT_EQ(tried(kNone, [] { return syscall(SYS_socket, AF_VSOCK, SOCK_STREAM, 0); }), EPERM);
  EXPECT_NE(tried(kNone, [] { return syscall(SYS_personality, ADDR_NO_RANDOMIZE); }), 0);
}

TEST(SeccompFilter, GivesWithACapabilityTheCallsThatItIsFor) {
  EXPECT_EQ(tried(kAdmin, [] { return syscall(SYS_unshare, 0); }), 0);
  EXPECT_EQ(tried(kAdmin, [] { return syscall(SYS_clone3, nullptr, 0); }), EINVAL);
  EXPECT_EQ(tried(kAdmin, [] { return syscall(SYS_keyctl, 0, 0, 0, 0, 0); }), EPERM);
  EXPECT_NE(tried(uint64_t(1) << CAP_SYS_CHROOT, [] { return syscall(SYS_chroot, ""); }), EPERM);
}

#ifdef __x86_64__
TEST(SeccompFilter, HoldsForTheOtherWaysIntoTheKernel) {
  constexpr long kX32 = 0x40000000;
  const auto by_interrupt = [](long number) {
    return [number] {
      long result = number;
      asm volatile("int $0x80" : "+a"(result) : "b"(0), "c"(0), "d"(0), "S"(0), "D"(0) : "memory");
      errno = result < 0 ? int(-result) : 0;
      return result < 0 ? -1L : 0L;
    };
  };
  constexpr long kKeyctl = 288, kUnshare = 310, kMount = 21;  // of 32-bit programs

  EXPECT_NE(tried(kNone, [] { return syscall(kX32 | SYS_unshare, 0); }), 0);
  EXPECT_NE(tried(kNone, [] { return syscall(kX32 | SYS_getpid); }), 0);
  for (const long call : {kKeyctl, kUnshare, kMount})
    EXPECT_NE(tried(kNone, by_interrupt(call)), 0) << call;
}
#endif

TEST(SeccompFilters, AreFilesThatAreMadeOnceForEachSetOfCapabilities) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "holdfast-filters.XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  SeccompFilters filters(folder / "filters");

  const Result<std::filesystem::path> none = filters.file_for(kNone),
                                      again = filters.file_for(kNone),
                                      admin = filters.file_for(kAdmin);

  ASSERT_TRUE(none && again && admin);
  EXPECT_EQ(*none, *again);
  EXPECT_NE(*none, *admin);
  EXPECT_EQ(*read_file(*none), *seccomp_program(kNone));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace holdfast::node
