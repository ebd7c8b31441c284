#include "mover_command.h"

#include <holdfast/protect/mover.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include <cstdlib>
#include <thread>

namespace holdfast::cli {
namespace {

int move() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const char* text = std::getenv("HOLDFAST_MOVE");  // NOLINT(concurrency-mt-unsafe): one thread yet
  Result<protect::MoveTask> task =
      text != nullptr ? protect::parse_move_task(text)
                      : Result<protect::MoveTask>(Error(Fault::Invalid, "HOLDFAST_MOVE is not set")
                                                      .with_hint("a DataMove's pod sets it"));
  if (!task) {
    fmt::print(stderr, "error: {}\n", task.error().what());
    return 2;
  }
  std::stop_source stop;
  std::jthread waiter([&signals, &stop] {
    int received = 0;
    sigwait(&signals, &received);
    stop.request_stop();
  });
  const int code = protect::run_mover(*task, {}, stop.get_token());
  pthread_kill(waiter.native_handle(), SIGUSR1);
  return code;
}

}  // namespace

void add_mover_command(CLI::App& app, int& code) {
  CLI::App* command =
      app.add_subcommand("mover", "moves the data of one DataMove; runs in the pod made for it");
  command->callback([&code] { code = move(); });
}

}  // namespace holdfast::cli
