/// `holdfast exec`: a command in a pod, with our own input, output and terminal.
#include <holdfast/base/process.h>
#include <holdfast/base/terminal.h>
#include <holdfast/cli/ending.h>
#include <holdfast/kube/streams.h>

#include "pods/pod_choice.h"
#include "pods/pod_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <optional>
#include <thread>

namespace holdfast::cli {
namespace {

using Kind = kube::ExecSession::Event::Kind;

struct ExecChoice {
  PodChoice choice{};
  std::vector<std::string> command{};
  bool input = false, tty = false;
};

bool put(std::string_view bytes, FILE* to) {
  return std::fwrite(bytes.data(), 1, bytes.size(), to) == bytes.size() && std::fflush(to) == 0;
}

/// Ours to the command, until the end of either.
void carry_input(kube::ExecSession& session, const std::stop_token& stop) {
  std::array<char, size_t(32) << 10> buffer{};
  for (;;) {
    const Result<size_t> got = read_input(buffer.data(), buffer.size(), stop);
    if (stop.stop_requested()) return;
    if (!got || *got == 0) break;
    if (!session.write({buffer.data(), *got})) return;
  }
  // A server of v4 cannot be told; the command then waits for more.
  if (session.can_end_input()) (void)session.end_input();
}

/// Signals that concern the terminal while it is raw. They are blocked in every thread and waited
/// for in one; its end is a signal too.
class TerminalSignals {
 public:
  explicit TerminalSignals(kube::ExecSession& session) : session_(session) {
    tell_size();
    thread_ = std::thread([this] { run(); });
  }
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;
  ~TerminalSignals() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }
  /// Before any thread is made.
  static sigset_t block() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGUSR1}) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    return set;
  }

 private:
  void tell_size() {
    const WindowSize size = window_size();
    (void)session_.resize(size.columns, size.rows);
  }
  void run() {
    const sigset_t set = block();
    while (!over_) {
      int received = 0;
      sigwait(&set, &received);
      if (received == SIGWINCH) tell_size();
      if (received == SIGTERM || received == SIGHUP || received == SIGINT) session_.close();
    }
  }

  kube::ExecSession& session_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

/// The exit code that is ours too.
Result<int> ended(const kube::ExecSession& session) {
  const kube::ExecEnd& end = session.end();
  if (!end.code) return Error(Fault::Unavailable, end.message);
  if (*end.code != 0) fmt::print(stderr, "command terminated with exit code {}\n", *end.code);
  return *end.code;
}

Result<int> execute(ExecChoice options) {
  if (options.tty && (!options.input || !is_terminal(Standard::Input))) {
    fmt::print(stderr, "Unable to use a TTY - input is not a terminal or the right kind of file\n");
    options.tty = false;
  }
  if (options.tty) TerminalSignals::block();
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.choice.server));
  kube::ExecOptions how{.input = options.input, .tty = options.tty};
  how.container = HF_TRY(container_of(*server, options.choice));
  auto begun = kube::exec(server->client(), server->ns(), pod_name(options.choice.pod),
                          options.command, how);
  if (!begun) return std::move(begun.take_error().error);
  kube::ExecSession& session = **begun;

  std::optional<RawTerminal> raw;
  std::optional<TerminalSignals> signals;
  if (options.tty) {
    raw.emplace(HF_TRY(RawTerminal::enter()));
    signals.emplace(session);
  }
  std::jthread input;
  if (options.input)
    input = std::jthread([&session](const std::stop_token& stop) { carry_input(session, stop); });
  for (auto event = session.next(); event->kind != Kind::End; event = session.next())
    if (!put(event->data, event->kind == Kind::Output ? stdout : stderr)) session.close();
  session.close();  // wakes an input that is not taken
  input = {};
  signals.reset();
  raw.reset();
  return ended(session);
}

}  // namespace

void add_exec_command(CLI::App& app, std::vector<std::string> words, int& code) {
  CLI::App* command = app.add_subcommand(
      "exec", "runs a command in a container of a pod: exec POD [OPTIONS] -- COMMAND ARGS…");
  auto options = std::make_shared<ExecChoice>();
  add_pod_options(*command, options->choice);
  options->command = std::move(words);
  command->add_flag("-i,--stdin", options->input, "pass standard input to the command");
  command->add_flag("-t,--tty", options->tty, "standard input is a terminal");
  command->footer("Exit codes: the command's own; 1 if it could not be run or is lost, 2 usage.");
  command->callback([options, &code] {
    if (options->command.empty()) {
      fmt::print(stderr, "a command is required, after --: holdfast exec POD -- COMMAND ARGS…\n");
      code = 2;
      return;
    }
    const Result<int> done = execute(*options);
    code = done ? *done : fail(done.error());
  });
}

}  // namespace holdfast::cli
