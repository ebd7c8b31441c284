#include "shim/launch.h"

#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/base/walls.h>

#include "rootfs/rootfs.h"
#include "shim/cgroups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

constexpr int kCannotRun = 128;

void put_oom_score(int64_t score) {
  const std::string text = std::to_string(score);
  const Fd fd(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (fd) static_cast<void>(!::write(fd.get(), text.data(), text.size()));
}

/// What the shim gets of a container, and what the container's processes begin with.
struct Ends {
  Pipe report, news, output, error, input;
  Fd spec, null, filter;
};

Result<Fd> copy_in_memory(const std::string& file) {
  const std::string bytes = HF_TRY(read_file(file));
  return memory_file("filter", bytes);
}

Result<Ends> make_ends(const PodPlace& place, const ContainerSpec& spec) {
  Ends ends;
  ends.report = HF_TRY(make_pipe());
  ends.news = HF_TRY(make_packet_pair());
  ends.output = HF_TRY(make_pipe());
  ends.error = HF_TRY(make_pipe());
  if (spec.stdin_open) {
    ends.input = HF_TRY(make_pipe());
    // This end is the container's, who expects a stdin that waits.
    fcntl(ends.input.read.get(), F_SETFL, 0);
  }
  if (!spec.filter.empty() && wall_stands("system calls are filtered"))
    ends.filter = HF_TRY(copy_in_memory(spec.filter));
  ends.spec = HF_TRY(memory_file("process", init_words(spec.process, bool(ends.filter))));
  ends.null = Fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  give_ends({ends.input.read.get(), ends.output.write.get(), ends.error.write.get()},
            place.outside(spec.process.uid));
  return ends;
}

/// A limit that cannot be set is complained about; the container runs all the same.
std::string limited_group(const PodPlace& place, const ContainerSpec& spec) {
  std::string group = cgroup_of(place.sandbox, spec.id);
  if (group.empty()) return group;
  const Result<void> made = Cgroup(group).make(
      {.memory = spec.memory_limit, .cpu_quota = spec.cpu_quota, .cpu_shares = spec.cpu_shares});
  if (!made) log::warn(fmt::format("container {}: {}", spec.name, made.error().what()));
  return group;
}

// What follows runs in copies of the shim, which have its one thread and so may run ordinary code.

[[noreturn]] void give_up(int report, std::string_view why) {
  static_cast<void>(!::write(report, why.data(), why.size()));
  _exit(kCannotRun);
}

/// The shim had gone before this process asked to be told.
bool is_orphan(const Fd& report) {
  pollfd end{report.get(), POLLOUT, 0};
  return poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0;
}

[[noreturn]] void become_container(const PodPlace& place, const ContainerSpec& spec,
                                   const Ends& ends, const std::string& group) {
  setsid();
  forget_signals();
  if (!group.empty()) Cgroup(group).join();
  put_oom_score(spec.oom_score_adj);
  const int report = ends.report.write.get();
  const Result<void> entered = enter_root(place, spec);
  if (!entered) give_up(report, entered.error().what());
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  place_descriptors({spec.stdin_open ? ends.input.read.get() : ends.null.get(),
                     ends.output.write.get(), ends.error.write.get(), place.init.get(),
                     ends.spec.get(), report, (ends.filter ? ends.filter : ends.null).get()});
  execute(kInit, "init");
  give_up(kReport, fmt::format("run the container's init: {}", strerrordesc_np(errno)));
}

/// The first process of a namespace that holds that of the container.
[[noreturn]] void hold_container(const PodPlace& place, const ContainerSpec& spec, const Ends& ends,
                                 const std::string& group) {
  setsid();
  forget_signals();
  if (wall_stands("a holder dies with its shim")) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_orphan(ends.report.write)) _exit(kCannotRun);
  const int report = ends.report.write.get();
  if (unshare(CLONE_NEWPID) != 0)
    give_up(report, fmt::format("make the container's PID namespace: {}", strerrordesc_np(errno)));
  const pid_t pid = fork();
  if (pid == 0) become_container(place, spec, ends, group);
  const Fd first(pid > 0 ? int(syscall(SYS_pidfd_open, pid, 0)) : -1);
  if (!first || !send_packet(ends.news.write.get(), "first", {first.get()}))
    give_up(report, fmt::format("make the container's process: {}", strerrordesc_np(errno)));
  const int null = ends.null.get();
  place_descriptors({null, null, null, place.holder.get()});
  fcntl(kInit, F_SETFD, FD_CLOEXEC);
  syscall(SYS_close_range, unsigned(kInit + 1), ~0U, 0U);
  execute(kInit, "holder", std::to_string(pid).c_str());
  _exit(kCannotRun);
}

}  // namespace

std::string cgroup_of(const Sandbox& sandbox, const std::string& container) {
  return sandbox.cgroup.empty() ? "" : sandbox.cgroup + "/" + container;
}

std::filesystem::path layer_of(const PodPlace& place, const std::string& id) {
  return place.folder / "containers" / id / "layer";
}

std::string init_words(const ProcessSpec& process, bool filtered) {
  std::string words;
  const auto add = [&words](std::string_view word) {
    words += word;
    words += '\0';
  };
  add(filtered ? "1" : "0");
  add(std::to_string(process.uid));
  add(std::to_string(process.gid));
  add(process.capabilities);
  add(process.cwd);
  add(std::to_string(process.groups.size()));
  for (const int64_t group : process.groups) add(std::to_string(group));
  add(std::to_string(process.args.size()));
  for (const std::string& argument : process.args) add(argument);
  for (const std::string& variable : process.env) add(variable);
  return words;
}

void give_ends(const std::vector<int>& ends, uid_t user) {
  for (const int end : ends) {
    struct stat facts {};
    // Pipes and terminals, not /dev/null, which is everybody's.
    if (fstat(end, &facts) == 0 && (S_ISFIFO(facts.st_mode) || isatty(end) == 1))
      static_cast<void>(!fchown(end, user, gid_t(-1)));
  }
}

void execute(int program, const char* name, const char* argument) {
  char* arguments[] = {const_cast<char*>(name), const_cast<char*>(argument), nullptr};
  char* environment[] = {nullptr};
  syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
}

Result<Launched> launch(const PodPlace& place, const ContainerSpec& spec) {
  HF_TRY(make_folder(place.folder / "root" / spec.id, 0755));
  HF_TRY(make_folder(layer_of(place, spec.id), 0755));
  Ends ends = HF_TRY(make_ends(place, spec));
  const std::string group = limited_group(place, spec);
  const bool shared = bool(place.processes), held = !shared && !place.sandbox.host_processes;
  const Fd own(::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
  if ((shared && setns(place.processes.get(), CLONE_NEWPID) != 0) ||
      (held && unshare(CLONE_NEWPID) != 0))
    return system_error("make a PID namespace for container " + spec.name, errno);
  const pid_t pid = fork();
  if (pid == 0) {
    if (held) hold_container(place, spec, ends, group);
    become_container(place, spec, ends, group);
  }
  const int cause = errno;
  setns(own.get(), CLONE_NEWPID);
  if (pid < 0) return system_error("make a process for container " + spec.name, cause);
  Launched launched;
  launched.pid = pid;
  if (held) launched.news = std::move(ends.news.read);
  if (!held) launched.first = Fd(int(syscall(SYS_pidfd_open, pid, 0)));
  launched.report = std::move(ends.report.read);
  launched.output = std::move(ends.output.read);
  launched.error = std::move(ends.error.read);
  launched.input = std::move(ends.input.write);
  launched.filter = std::move(ends.filter);
  return launched;
}

void clear_root(const PodPlace& place, const std::string& id) {
  std::error_code ignored;
  std::filesystem::remove(place.folder / "root" / id, ignored);
  std::filesystem::remove_all(layer_of(place, id), ignored);
}

}  // namespace holdfast::node
