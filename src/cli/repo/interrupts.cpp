#include <holdfast/base/terminal.h>
#include <holdfast/cli/interrupts.h>

#include <fmt/format.h>
#include <signal.h>

#include <cstdlib>

namespace holdfast::cli {
namespace {

sigset_t waited_for() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

Interrupts::Interrupts(std::string said) : said_(std::move(said)) {
  const sigset_t signals = waited_for();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader of our output that goes away is noticed by the write that fails.
  signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this] { wait(); });
}

Interrupts::~Interrupts() {
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

void Interrupts::wait() {
  const sigset_t signals = waited_for();
  for (;;) {
    int received = 0;
    sigwait(&signals, &received);
    if (received == SIGUSR1) return;
    const bool asking = restore_terminal();
    if (seen_.exchange(true) || asking) std::_Exit(130);
    fmt::print(stderr, "\nsignal {}: {}\n", received, said_);
    source_.request_stop();
  }
}

}  // namespace holdfast::cli
