#include <holdfast/base/clock.h>
#include <holdfast/base/program.h>

#include "start_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace holdfast {
namespace {

constexpr size_t kMaxOutput = size_t(1) << 20;

class Running {
 public:
  explicit Running(const Program& program) : program_(program) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (pid_ > 0) end();
  }

  Result<void> start();
  Result<std::string> finish(const std::stop_token& stop);

 private:
  Error failed(Fault fault, std::string_view why) const {
    return {fault, fmt::format("running {}: {}", program_.command, why)};
  }
  /// Kills it and all that it started, and takes its exit status.
  int end() {
    ::kill(program_.interactive ? pid_ : -pid_, SIGKILL);
    return reap();
  }
  int reap() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }
  /// False at the end of the output.
  bool take_output();
  Result<void> collect(int stop_event, const std::stop_token& stop);

  const Program& program_;
  const SystemClock clock_;
  pid_t pid_ = -1;
  Descriptor output_, process_;
  std::string printed_;
};

Result<void> Running::start() {
  std::vector<std::string> words = program_.args;
  words.insert(words.begin(), program_.command);
  Spawned spawned = spawn(std::move(words), {program_.env, !program_.interactive});
  if (spawned.cause != 0)
    return failed(spawned.cause == ENOENT ? Fault::NotFound : Fault::Unavailable,
                  std::generic_category().message(spawned.cause));
  pid_ = spawned.pid;
  output_ = std::move(spawned.output);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  // The C library of Debian 12 declares pidfd_open without C linkage.
  process_ = Descriptor(int(syscall(SYS_pidfd_open, pid_, 0)));
  if (!process_) return failed(Fault::Unavailable, std::generic_category().message(errno));
  return ok();
}

bool Running::take_output() {
  char bytes[16384];
  for (;;) {
    const ssize_t got = read(output_.get(), bytes, sizeof bytes);
    if (got > 0) printed_.append(bytes, size_t(got));
    if (got > 0 && printed_.size() <= kMaxOutput) continue;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }
}

/// Until the program has ended: what it leaves running in the background with our pipe open does
/// not count.
Result<void> Running::collect(int stop_event, const std::stop_token& stop) {
  const MonoTime end = clock_.mono() + program_.limit;
  pollfd watched[] = {
      {process_.get(), POLLIN, 0}, {stop_event, POLLIN, 0}, {output_.get(), POLLIN, 0}};
  for (bool open = true;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock_.mono());
    if (stop.stop_requested()) return failed(Fault::Unavailable, "stopped by the caller");
    if (left.count() <= 0)
      return failed(Fault::Unavailable, fmt::format("it did not end within {} s and was killed",
                                                    double(program_.limit.count()) / 1000));
    const int count = poll(watched, open ? 3 : 2, int(std::min<int64_t>(left.count(), 60000)));
    if (count < 0 && errno != EINTR)
      return failed(Fault::Unavailable, std::generic_category().message(errno));
    if (open) open = take_output();
    if (printed_.size() > kMaxOutput)
      return failed(Fault::Unavailable, "it printed more than a megabyte and was killed");
    if (count > 0 && watched[0].revents != 0) {
      if (open) take_output();
      return ok();
    }
  }
}

Result<std::string> Running::finish(const std::stop_token& stop) {
  const Descriptor stop_event(eventfd(0, EFD_CLOEXEC));
  const std::stop_callback on_stop(stop, [&stop_event] { eventfd_write(stop_event.get(), 1); });
  HF_TRY(collect(stop_event.get(), stop));
  const int status = reap();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::move(printed_);
  return failed(Fault::Unavailable,
                WIFEXITED(status) ? fmt::format("it ended with exit code {}", WEXITSTATUS(status))
                                  : fmt::format("it was ended by signal {}", WTERMSIG(status)));
}

}  // namespace

Result<std::string> run_program(const Program& program, const std::stop_token& stop) {
  Running running(program);
  HF_TRY(running.start());
  return running.finish(stop);
}

}  // namespace holdfast
