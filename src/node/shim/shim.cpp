#include "shim/shim.h"

#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/model/json.h>

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

std::string refusal(std::string_view why) { return model::to_json(model::Object{{"error", why}}); }

Result<std::string> read_whole(int fd) {
  struct stat facts {};
  if (fstat(fd, &facts) != 0) return system_error("read what to run", errno);
  std::string text(size_t(facts.st_size), '\0');
  if (pread(fd, text.data(), text.size(), 0) != ssize_t(text.size()))
    return system_error("read what to run", errno);
  return text;
}

Fd child_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

Shim::Shim(PodPlace place, Fd listener, const Clock& clock)
    : place_(std::move(place)),
      listener_(std::move(listener)),
      signals_(child_signals()),
      clock_(clock) {
  // What a container's processes leave behind comes to us and no further.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Result<void> Shim::run() {
  while (!ended_) poll_once();
  return {};
}

void Shim::poll_once() {
  std::vector<pollfd> polls = {{listener_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
  for (const Connection& connection : connections_)
    polls.push_back({connection.socket.get(), POLLIN, 0});
  for (const Container& container : containers_) container.add_polls(polls);
  for (const Exec& exec : execs_)
    if (exec.report) polls.push_back({exec.report.get(), POLLIN, 0});
  if (poll(polls.data(), polls.size(), -1) < 0) return;
  for (const pollfd& ready : polls) {
    if (ready.revents == 0) continue;
    for (Container& container : containers_) changed_ |= container.on_ready(ready.fd);
    for (Exec& exec : execs_)
      if (exec.report && exec.report.get() == ready.fd) read_exec(exec);
    for (Connection& connection : connections_)
      if (connection.socket.get() == ready.fd) hear(connection);
  }
  if (polls[0].revents != 0) accept();
  reap();
  settle_execs();
  answer_starts();
  if (changed_) tell_watchers();
  drop_closed();
}

void Shim::accept() {
  Fd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  connections_.emplace_back();
  connections_.back().socket = std::move(socket);
}

void Shim::hear(Connection& connection) {
  Result<Packet> packet = receive_packet(connection.socket.get(), 0);
  if (packet) return answer(connection, packet.take());
  if (packet.error().fault() != Fault::Unavailable) connection.socket.reset();
}

void Shim::answer(Connection& connection, Packet packet) {
  const Result<model::Parsed> parsed = model::parse_json(packet.text);
  const model::Value request = parsed ? parsed->value : model::Value(model::Object());
  const std::string_view what = model::string_at(request, {"do"});
  const std::string id(model::string_at(request, {"id"}));
  std::string reply;
  if (what == "start")
    reply = start(connection, id);
  else if (what == "signal")
    reply = signal(id, int(model::int_at(request, {"signal"}, 0)));
  else if (what == "exec")
    reply = exec(connection, id, model::bool_at(request, {"leash"}, false), packet);
  else if (what == "list")
    reply = list();
  else if (what == "watch")
    connection.watches = true, reply = "{}";
  else if (what == "end")
    ending_ = &connection, kill_all();
  else
    reply = refusal("no such request: " + std::string(what));
  if (!reply.empty() && !send_packet(connection.socket.get(), reply)) connection.socket.reset();
}

std::string Shim::start(Connection& connection, const std::string& id) {
  if (ending_ != nullptr) return refusal("the pod is ending");
  connection.awaits = id;
  if (find(id) != nullptr) return "";  // asked again: its start is answered once more
  Result<ContainerSpec> spec = read_container_spec(place_.folder / "containers" / id / "spec.json");
  if (!spec) {
    connection.awaits.clear();
    return refusal(spec.error().what());
  }
  forget_before(*spec);
  containers_.emplace_back(place_, spec.take(), clock_).start();
  return "";
}

/// The run before this one is still asked for (its log, how it ended); those before it no more.
void Shim::forget_before(const ContainerSpec& next) {
  containers_.remove_if([&next](const Container& each) {
    return each.spec().name == next.name && each.spec().attempt < next.attempt - 1 &&
           each.record().exited() && each.child() == 0;
  });
}

std::string Shim::signal(const std::string& id, int number) {
  Container* container = find(id);
  if (container == nullptr) return refusal("no such container: " + id);
  const Result<void> sent = container->signal(number);
  return sent ? "{}" : refusal(sent.error().what());
}

std::string Shim::exec(Connection& connection, const std::string& id, bool leashed,
                       const Packet& packet) {
  Container* container = find(id);
  if (container == nullptr || !container->record().running())
    return refusal("container not running");
  if (packet.fds.size() != 4) return refusal("an exec needs four descriptors");
  const Result<std::string> text = read_whole(packet.fds[0].get());
  if (!text) return refusal(text.error().what());
  const Result<ProcessSpec> process = parse_process_spec(*text);
  if (!process) return refusal(process.error().what());
  Result<Entered> entered =
      enter(place_, container->launched(), cgroup_of(place_.sandbox, id), *process,
            packet.fds[1].get(), packet.fds[2].get(), packet.fds[3].get());
  if (!entered) return refusal(entered.error().what());
  Exec& made = execs_.emplace_back();
  made.pid = entered->pid;
  made.report = std::move(entered->report);
  made.asker = &connection;
  made.leashed = leashed;
  return "";
}

void Shim::read_exec(Exec& exec) {
  char bytes[4096];
  const ssize_t got = read(exec.report.get(), bytes, sizeof bytes);
  if (got > 0) exec.said.append(bytes, size_t(got));
  if (got != 0) return;
  exec.report.reset();
  exec.decided = true;
  if (exec.asker == nullptr) return;
  const bool runs = exec.said == "+";
  if (exec.said.starts_with('+')) exec.said.erase(0, 1);
  const std::string reply =
      runs
          ? fmt::format(R"({{"pid":{}}})", exec.pid)
          : refusal(exec.said.empty() ? "the container's namespaces cannot be entered" : exec.said);
  if (!send_packet(exec.asker->socket.get(), reply)) exec.asker->socket.reset();
  if (!runs) exec.asker = nullptr;
}

void Shim::settle_execs() {
  for (auto exec = execs_.begin(); exec != execs_.end();) {
    if (!exec->status || !exec->decided) {
      ++exec;
      continue;
    }
    if (exec->asker != nullptr &&
        !send_packet(exec->asker->socket.get(),
                     fmt::format(R"({{"exit":{}}})", exit_code_of(*exec->status))))
      exec->asker->socket.reset();
    exec = execs_.erase(exec);
  }
}

std::string Shim::list() const {
  std::string out = R"({"records":[)";
  for (const Container& container : containers_) {
    if (!container.decided()) continue;
    if (out.back() != '[') out += ',';
    out += to_text(container.record());
  }
  return out + "]}";
}

void Shim::reap() {
  signalfd_siginfo ignored{};
  while (read(signals_.get(), &ignored, sizeof ignored) > 0) continue;
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (Container& container : containers_)
      if (container.child() == pid) container.on_exit(status), changed_ = true;
    for (Exec& exec : execs_)
      if (exec.pid == pid) exec.status = status;
  }
  const bool alive = std::any_of(containers_.begin(), containers_.end(),
                                 [](const Container& each) { return each.child() != 0; });
  if (ending_ == nullptr || alive) return;
  static_cast<void>(send_packet(ending_->socket.get(), "{}"));
  ended_ = true;
}

void Shim::tell_watchers() {
  changed_ = false;
  for (Connection& connection : connections_)
    if (connection.watches && connection.socket && !send_packet(connection.socket.get(), "{}"))
      connection.socket.reset();
}

void Shim::answer_starts() {
  for (Connection& connection : connections_) {
    const Container* container = connection.awaits.empty() ? nullptr : find(connection.awaits);
    if (container == nullptr || !container->decided()) continue;
    connection.awaits.clear();
    if (!send_packet(connection.socket.get(),
                     fmt::format(R"({{"record":{}}})", to_text(container->record()))))
      connection.socket.reset();
  }
}

void Shim::kill_all() {
  for (Container& container : containers_) {
    static_cast<void>(container.signal(SIGKILL));
    if (!container.decided() && container.child() != 0) kill(container.child(), SIGKILL);
  }
}

void Shim::drop_closed() {
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    if (connection->socket) {
      ++connection;
      continue;
    }
    for (Exec& exec : execs_) {
      if (exec.asker != &*connection) continue;
      exec.asker = nullptr;
      if (exec.leashed && !exec.status) kill(exec.pid, SIGKILL);
    }
    if (ending_ == &*connection) ending_ = nullptr;
    connection = connections_.erase(connection);
  }
}

Container* Shim::find(const std::string& id) {
  for (Container& container : containers_)
    if (container.spec().id == id) return &container;
  return nullptr;
}

}  // namespace holdfast::node
