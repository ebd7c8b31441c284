#include "movers/pod_work.h"

#include <holdfast/cli/ending.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include <cstdlib>
#include <thread>

namespace holdfast::cli {

int pod_work(const char* variable,
             const std::function<Result<int>(std::string_view task, std::stop_token stop)>& work) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const char* task = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): one thread yet
  if (task == nullptr) {
    fmt::print(stderr, "error: {} is not set: the pod that a controller makes has it\n", variable);
    return 2;
  }
  std::stop_source stop;
  std::jthread waiter([&signals, &stop] {
    int received = 0;
    sigwait(&signals, &received);
    stop.request_stop();
  });
  const Result<int> code = work(task, stop.get_token());
  pthread_kill(waiter.native_handle(), SIGUSR1);
  if (code) return *code;
  fail(code.error());
  return 2;
}

void add_pod_program(CLI::App& app, const PodProgram& program, int& code) {
  CLI::App* command = app.add_subcommand(program.name, program.help);
  command->group("");
  command->callback([program, &code] { code = pod_work(program.variable.c_str(), program.work); });
}

}  // namespace holdfast::cli
