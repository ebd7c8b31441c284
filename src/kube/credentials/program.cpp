#include "credentials/program.h"

#include <holdfast/base/clock.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <system_error>

namespace holdfast::kube {
namespace {

constexpr size_t kMaxOutput = size_t(1) << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void set(int fd) {
    close();
    fd_ = fd;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

/// Null-terminated pointers into texts, as exec wants them.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Each name once: with two of the same, which one a program sees is anybody's guess.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& more) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : more) variables[name] = value;
  std::vector<std::string> out;
  out.reserve(variables.size());
  for (const auto& [name, value] : variables) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

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
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0)
    return failed(Fault::Unavailable, std::generic_category().message(errno));
  output_.set(ends[0]);
  Descriptor written(ends[1]);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, written.get(), STDOUT_FILENO);
  // A signal that we ignore or hold back would reach the program neither.
  sigset_t none, usual;
  sigemptyset(&none);
  sigfillset(&usual);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!program_.interactive) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    flags |= POSIX_SPAWN_SETPGROUP;
  }
  posix_spawnattr_setflags(&attributes, flags);
  std::vector<std::string> words = program_.args;
  words.insert(words.begin(), program_.command);
  std::vector<std::string> variables = environment_with(program_.env);
  const int trouble = posix_spawnp(&pid_, program_.command.c_str(), &actions, &attributes,
                                   pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (trouble != 0) {
    pid_ = -1;
    return failed(trouble == ENOENT ? Fault::NotFound : Fault::Unavailable,
                  std::generic_category().message(trouble));
  }
  // The C library of Debian 12 declares pidfd_open without C linkage.
  process_.set(int(syscall(SYS_pidfd_open, pid_, 0)));
  if (process_.get() < 0) return failed(Fault::Unavailable, std::generic_category().message(errno));
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

bool stdin_is_terminal() { return isatty(STDIN_FILENO) == 1; }

}  // namespace holdfast::kube
