// Init program of every container: linked statically, since the image has libraries of its own or
// none. The shim has made the root and the namespaces; this takes the identity that the pod asks
// for and becomes the container's command.
//
//   fd 3  this program            fd 4  what to become (below)            fd 5  says how it went
//   fd 6  the system calls that the command may make: a program for the kernel's filter
//
// fd 4 is a list of strings, each ended by NUL:
//   filtered(0 or 1)  uid gid capabilities(hex) cwd  count-of-groups groups…
//   count-of-arguments arguments…  environment…
// fd 5 gets "+" when this program runs, and after it nothing if the command runs, else why it does
// not.
//
// Processes of the pod may have the same user and, from a certain line on, the same rights as this
// one. What they could gain from it is gone by then: it has no descriptors but fd 5, knows the
// command's file, and is not dumpable, so that nobody opens its /proc/PID/exe or traces it.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kInit = 3, kSpec = 4, kReport = 5, kFilter = 6;
constexpr int kCannotRun = 128;
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

[[noreturn]] void give_up(const char* what, const char* about, int cause) {
  dprintf(kReport, "%s%s%s%s", what, about, cause != 0 ? ": " : "",
          cause != 0 ? strerror(cause) : "");
  _exit(kCannotRun);
}

/// The whole of a file, with one NUL more at its end.
char* read_whole(int fd, size_t& size) {
  struct stat facts;
  if (fstat(fd, &facts) != 0) give_up("read what to run", "", errno);
  size = size_t(facts.st_size);
  char* bytes = static_cast<char*>(calloc(size + 1, 1));
  if (bytes == nullptr) give_up("read what to run", "", ENOMEM);
  for (size_t at = 0; at < size;) {
    const ssize_t got = pread(fd, bytes + at, size - at, off_t(at));
    if (got <= 0) give_up("read what to run", "", got < 0 ? errno : EIO);
    at += size_t(got);
  }
  return bytes;
}

struct Words {
  char* at;
  char* end;
  char* next() {
    if (at >= end) give_up("read what to run: it ends too early", "", 0);
    char* word = at;
    at += strlen(at) + 1;
    return word;
  }
  unsigned long number(int base = 10) { return strtoul(next(), nullptr, base); }
  /// So many of them, then a null.
  char** list(size_t count) {
    char** words = static_cast<char**>(calloc(count + 1, sizeof(char*)));
    if (words == nullptr) give_up("read what to run", "", ENOMEM);
    for (size_t i = 0; i < count; ++i) words[i] = next();
    return words;
  }
  size_t left() const {
    size_t count = 0;
    for (char* c = at; c < end; c += strlen(c) + 1) ++count;
    return count;
  }
};

void keep_capabilities(unsigned long long kept) {
  for (int capability = 0; capability <= 63; ++capability) {
    if (prctl(PR_CAPBSET_READ, capability) < 0) break;
    if ((kept >> capability & 1) == 0) prctl(PR_CAPBSET_DROP, capability);
  }
}

/// What root has after the change of identity; others have lost all by then.
void limit_capabilities(unsigned long long kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (syscall(SYS_capget, &header, data) != 0) return;
  for (int half = 0; half < 2; ++half) {
    const auto mask = unsigned(kept >> (32 * half));
    data[half].permitted &= mask;
    data[half].effective = data[half].permitted;
    data[half].inheritable = 0;
  }
  syscall(SYS_capset, &header, data);
}

void become(unsigned long uid, unsigned long gid, size_t groups, char** names,
            unsigned long long kept) {
  gid_t* all = static_cast<gid_t*>(calloc(groups + 1, sizeof(gid_t)));
  for (size_t i = 0; i < groups; ++i) all[i] = gid_t(strtoul(names[i], nullptr, 10));
  keep_capabilities(kept);
  if (setgroups(groups, all) != 0) give_up("take the groups", "", errno);
  if (setresgid(gid_t(gid), gid_t(gid), gid_t(gid)) != 0) give_up("take the group", "", errno);
  if (setresuid(uid_t(uid), uid_t(uid), uid_t(uid)) != 0) give_up("take the user", "", errno);
  if (uid == 0) limit_capabilities(kept);
  // A change of user resets both; the machine may be set to make such processes dumpable.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

const char* variable(char** environment, const char* name) {
  const size_t length = strlen(name);
  for (; *environment != nullptr; ++environment)
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
      return *environment + length + 1;
  return nullptr;
}

[[noreturn]] void not_started(const char* program, const char* subject, const char* why) {
  dprintf(kReport, "exec: \"%s\": %s%s%s", program, subject, *subject != 0 ? ": " : "", why);
  _exit(kCannotRun);
}

/// Its words for a file that is not there are those of Go's lookup.
void expect_file(const char* program) {
  struct stat facts;
  if (stat(program, &facts) != 0) {
    char subject[4096];
    snprintf(subject, sizeof subject, "stat %s", program);
    not_started(program, subject, errno == ENOENT ? "no such file or directory" : strerror(errno));
  }
  if (S_ISDIR(facts.st_mode)) not_started(program, "", "is a directory");
}

/// The files that a program's name can mean, up to a null. As Go looks them up: a name with a slash
/// is a path, another is sought in PATH.
char** files_of(char* program, char** environment) {
  const char* path = variable(environment, "PATH");
  if (path == nullptr) path = kPath;
  size_t most = 2;
  for (const char* c = path; *c != 0; ++c) most += *c == ':';
  char** files = static_cast<char**>(calloc(most, sizeof(char*)));
  if (files == nullptr) give_up("look for the program", "", ENOMEM);
  if (strchr(program, '/') != nullptr) {
    expect_file(program);
    files[0] = program;
    return files;
  }
  for (size_t count = 0;;) {
    const char* end = strchrnul(path, ':');
    char file[4096];
    struct stat facts;
    const int length = snprintf(file, sizeof file, "%.*s/%s", int(end - path), path, program);
    if (end != path && length < int(sizeof file) && stat(file, &facts) == 0 &&
        S_ISREG(facts.st_mode) && (facts.st_mode & 0111) != 0)
      files[count++] = strdup(file);
    if (*end == 0) return files;
    path = end + 1;
  }
}

[[noreturn]] void run(char** files, char** arguments, char** environment) {
  bool forbidden = false;
  for (char** file = files; *file != nullptr; ++file) {
    execve(*file, arguments, environment);
    forbidden = forbidden || errno == EACCES;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
      not_started(arguments[0], "", strerror(errno));
  }
  not_started(arguments[0], "",
              forbidden ? "permission denied" : "executable file not found in $PATH");
}

void make_folders(char* path) {
  for (char* slash = strchr(path + 1, '/'); slash != nullptr; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0755);
    *slash = '/';
  }
  mkdir(path, 0755);
}

/// From here on; the kernel holds to it over every exec.
void filter_calls(char* program, size_t size) {
  sock_fprog filter{static_cast<unsigned short>(size / sizeof(sock_filter)),
                    reinterpret_cast<sock_filter*>(program)};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
    give_up("filter system calls", "", errno);
}

}  // namespace

int main() {
  prctl(PR_SET_DUMPABLE, 0);
  fcntl(kReport, F_SETFD, FD_CLOEXEC);
  if (write(kReport, "+", 1) != 1) return kCannotRun;
  size_t size = 0, filter_size = 0;
  char* bytes = read_whole(kSpec, size);
  Words words{bytes, bytes + size};
  const bool filtered = words.number() != 0;
  char* filter = filtered ? read_whole(kFilter, filter_size) : nullptr;
  close(kInit);
  close(kSpec);
  syscall(SYS_close_range, unsigned(kFilter), ~0U, 0U);
  const unsigned long uid = words.number(), gid = words.number();
  const unsigned long long kept = strtoull(words.next(), nullptr, 16);
  char* folder = words.next();
  const size_t group_count = words.number();
  char** groups = words.list(group_count);
  char** arguments = words.list(words.number());
  char** environment = words.list(words.left());
  // As runc: a working directory that is not there is made, by root.
  make_folders(folder);
  if (chdir(folder) != 0) give_up("chdir to cwd ", folder, errno);
  char** files = files_of(arguments[0], environment);
  become(uid, gid, group_count, groups, kept);
  umask(022);
  if (filtered) filter_calls(filter, filter_size);
  run(files, arguments, environment);
}
