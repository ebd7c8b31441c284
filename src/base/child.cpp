#include <holdfast/base/child.h>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace holdfast {
namespace {

Error os_error(std::string_view doing) {
  return {Fault::Internal, fmt::format("{}: {}", doing, std::generic_category().message(errno))};
}

[[noreturn]] void be_child(int out, const std::function<std::string()>& work) {
  const std::string result = work();
  std::string_view left = result;
  while (!left.empty()) {
    const ssize_t done = write(out, left.data(), left.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) _exit(1);
    left.remove_prefix(size_t(done));
  }
  _exit(0);
}

std::string read_all(int in) {
  std::string bytes;
  char block[16384];
  for (;;) {
    const ssize_t got = read(in, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(block, size_t(got));
  }
}

}  // namespace

Result<std::string> run_in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return os_error("open a pipe");
  const pid_t child = fork();
  if (child < 0) {
    Error error = os_error("fork");
    close(ends[0]);
    close(ends[1]);
    return error;
  }
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work);
  }
  close(ends[1]);
  std::string result = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return Error(Fault::Internal, fmt::format("child process {} died of signal {} (SIG{})", child,
                                              WTERMSIG(status), sigabbrev_np(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    return Error(Fault::Internal,
                 fmt::format("child process {} ended with {}", child, WEXITSTATUS(status)));
  return result;
}

std::chrono::microseconds cpu_time() {
  std::chrono::microseconds total{0};
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      total += std::chrono::seconds(part.tv_sec) + std::chrono::microseconds(part.tv_usec);
  }
  return total;
}

}  // namespace holdfast
