#include "shim/container.h"

#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/model/json.h>
#include <holdfast/model/time.h>

#include "shim/cgroups.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

constexpr int64_t kNotStarted = 128;
constexpr size_t kMostComplaint = 4096;
// More than a pipe holds: what is left in it when its writer has ended comes whole.
constexpr size_t kMostAtEnd = size_t(2) << 20;
// The process that sends the news is ours and at it when they are waited for.
constexpr int kNewsMilliseconds = 10000;

/// Appends what is there now; false once the other end has closed. A process that goes on writing
/// does not keep us here.
bool read_more(Fd& fd, std::string& into) {
  char bytes[4096];
  while (into.size() < kMostAtEnd) {
    const ssize_t got = ::read(fd.get(), bytes, sizeof bytes);
    if (got > 0) {
      into.append(bytes, size_t(got));
    } else if (got == 0) {
      fd.reset();
      return false;
    } else if (errno != EINTR) {
      return true;
    }
  }
  return true;
}

/// The number of a pidfd's process; below 1 once it is reaped.
pid_t number_of(const Fd& process) {
  const Result<std::string> facts = read_file(fmt::format("/proc/self/fdinfo/{}", process.get()));
  const size_t at = facts ? facts->find("\nPid:\t") : std::string::npos;
  return at == std::string::npos ? 0 : pid_t(strtol(facts->c_str() + at + 6, nullptr, 10));
}

}  // namespace

int64_t exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Container::Container(const PodPlace& place, ContainerSpec spec, const Clock& clock)
    : place_(place),
      spec_(std::move(spec)),
      clock_(clock),
      log_(spec_.log, place.sandbox.log_max_bytes, place.sandbox.log_max_files) {
  record_.id = spec_.id;
  record_.name = spec_.name;
  record_.attempt = spec_.attempt;
}

void Container::start() {
  Result<void> logging = log_.open();
  Result<Launched> launched =
      logging ? launch(place_, spec_) : Result<Launched>(logging.take_error());
  if (launched) {
    launched_ = launched.take();
    // Its own number as soon as that is known: until then it is its holder's.
    record_.pid = launched_.pid;
    return;
  }
  report_ = "+" + launched.error().what();
  decide();
}

void Container::add_polls(std::vector<pollfd>& polls) const {
  for (const Fd* fd : {&launched_.report, &launched_.news, &launched_.output, &launched_.error})
    if (*fd) polls.push_back({fd->get(), POLLIN, 0});
}

bool Container::on_ready(int fd) {
  const bool before = decided_;
  if (fd == launched_.report.get()) read_report();
  if (fd == launched_.news.get()) read_news(0);
  if (fd == launched_.output.get()) read_output(launched_.output, output_);
  if (fd == launched_.error.get()) read_output(launched_.error, error_);
  return before != decided_;
}

void Container::read_report() {
  if (!read_more(launched_.report, report_)) decide();
}

void Container::read_news(int wait_milliseconds) {
  Result<Packet> news = receive_packet(launched_.news.get(), wait_milliseconds);
  if (!news && news.error().fault() == Fault::Unavailable) return;
  launched_.news.reset();
  if (!news || news->fds.size() != 1) return;
  launched_.first = std::move(news->fds.front());
  if (const pid_t number = number_of(launched_.first); number > 0) record_.pid = number;
}

void Container::read_output(Fd& fd, LogFile::Stream& stream) {
  char bytes[65536];
  const ssize_t got = ::read(fd.get(), bytes, sizeof bytes);
  if (got > 0) stream.add({bytes, size_t(got)}, clock_.now());
  if (got == 0) fd.reset();
}

void Container::decide() {
  if (launched_.news) read_news(kNewsMilliseconds);
  decided_ = true;
  const std::string now = model::to_rfc3339_micro(clock_.now());
  if (report_ == "+") {
    record_.started_at = now;
  } else {
    if (report_.starts_with('+')) report_.erase(0, 1);
    record_.start_error = report_.substr(0, kMostComplaint);
    if (record_.start_error.empty())
      record_.start_error = "the sandbox ended before the command ran";
    record_.exit_code = kNotStarted;
    record_.finished_at = now;
    record_.pid = 0;
    clear_root(place_, spec_.id);
  }
  save();
}

void Container::drain() {
  struct End {
    Fd& fd;
    LogFile::Stream& stream;
  };
  for (const End& end : {End{launched_.output, output_}, End{launched_.error, error_}}) {
    std::string rest;
    if (end.fd) read_more(end.fd, rest);
    end.stream.add(rest, clock_.now());
    end.stream.end(clock_.now());
    end.fd.reset();
  }
}

void Container::on_exit(int status) {
  if (launched_.report) read_report();
  if (!decided_) decide();
  launched_.pid = 0;
  if (record_.exited()) return;
  drain();
  record_.exit_code = exit_code_of(status);
  record_.finished_at = model::to_rfc3339_micro(clock_.now());
  record_.pid = 0;
  const std::string group = cgroup_of(place_.sandbox, spec_.id);
  if (!group.empty()) {
    record_.oom_killed = Cgroup(group).oom_kills() > 0;
    Cgroup(group).remove();
  }
  clear_root(place_, spec_.id);
  save();
}

Result<void> Container::signal(int number) {
  if (!launched_.first || !record_.running())
    return Error(Fault::NotFound, "signal container " + spec_.name + ": it does not run");
  if (syscall(SYS_pidfd_send_signal, launched_.first.get(), number, nullptr, 0) != 0)
    return system_error(fmt::format("send signal {} to container {}", number, spec_.name), errno);
  return {};
}

void Container::save() {
  const Result<void> saved =
      write_record(place_.folder / "containers" / spec_.id / "state.json", record_);
  if (!saved) log::error(saved.error().what());
}

}  // namespace holdfast::node
