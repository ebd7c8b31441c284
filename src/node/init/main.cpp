// Init program of every container: linked statically, since the image has libraries of its own or
// none. bwrap has made the mounts and namespaces; this takes the identity that the pod asks for and
// becomes the container's command.
//
//   fd 3  this program            fd 4  what to become (below)            fd 5  says how it went
//
// fd 4 is a list of strings, each ended by NUL:
//   uid gid capabilities(hex) cwd  count-of-groups groups…  count-of-arguments arguments…
//   environment…
// fd 5 gets "+" when this program runs, and after it nothing if the command runs, else why it does
// not.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kSpec = 4, kReport = 5;
constexpr int kCannotRun = 128;
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

[[noreturn]] void give_up(const char* what, const char* about, int cause) {
  dprintf(kReport, "%s%s%s%s", what, about, cause != 0 ? ": " : "",
          cause != 0 ? strerror(cause) : "");
  _exit(kCannotRun);
}

/// The whole of fd 4, with one NUL more at its end.
char* read_spec(size_t& size) {
  struct stat facts;
  if (fstat(kSpec, &facts) != 0) give_up("read what to run", "", errno);
  size = size_t(facts.st_size);
  char* bytes = static_cast<char*>(calloc(size + 1, 1));
  if (bytes == nullptr) give_up("read what to run", "", ENOMEM);
  for (size_t at = 0; at < size;) {
    const ssize_t got = pread(kSpec, bytes + at, size - at, off_t(at));
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

/// A name with a slash: its words for a file that is not there are those of Go's lookup.
[[noreturn]] void run_file(const char* program, char** arguments, char** environment) {
  struct stat facts;
  if (stat(program, &facts) != 0) {
    char subject[4096];
    snprintf(subject, sizeof subject, "stat %s", program);
    not_started(program, subject, errno == ENOENT ? "no such file or directory" : strerror(errno));
  }
  if (S_ISDIR(facts.st_mode)) not_started(program, "", "is a directory");
  execve(program, arguments, environment);
  not_started(program, "", errno == EACCES ? "permission denied" : strerror(errno));
}

/// As Go looks up a program: a name with a slash is a path, another is sought in PATH.
[[noreturn]] void run(char** arguments, char** environment) {
  const char* program = arguments[0];
  if (strchr(program, '/') != nullptr) run_file(program, arguments, environment);
  const char* path = variable(environment, "PATH");
  if (path == nullptr) path = kPath;
  bool forbidden = false;
  while (true) {
    const char* end = strchrnul(path, ':');
    char file[4096];
    const int length = snprintf(file, sizeof file, "%.*s/%s", int(end - path), path, program);
    if (end != path && length < int(sizeof file)) {
      execve(file, arguments, environment);
      forbidden = forbidden || errno == EACCES;
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
        not_started(program, "", strerror(errno));
    }
    if (*end == 0) break;
    path = end + 1;
  }
  not_started(program, "", forbidden ? "permission denied" : "executable file not found in $PATH");
}

void make_folders(char* path) {
  for (char* slash = strchr(path + 1, '/'); slash != nullptr; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0755);
    *slash = '/';
  }
  mkdir(path, 0755);
}

}  // namespace

int main() {
  fcntl(kReport, F_SETFD, FD_CLOEXEC);
  if (write(kReport, "+", 1) != 1) return kCannotRun;
  size_t size = 0;
  char* bytes = read_spec(size);
  Words words{bytes, bytes + size};
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
  become(uid, gid, group_count, groups, kept);
  close(3);
  close(kSpec);
  syscall(SYS_close_range, 6U, ~0U, 0U);
  umask(022);
  run(arguments, environment);
}
