// The process of a shim, from its start by the node to its own end.
#include <holdfast/node/shim.h>

#include "shim/shim.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

int serve(const std::filesystem::path& folder, int listener, Fd ready) {
  setsid();
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  const SystemClock clock;
  Result<PodPlace> place = take_place(folder);
  if (!place) {
    fmt::print(stderr, "{}\n", place.error().what());
    return 1;
  }
  Shim shim(place.take(), Fd(listener), clock);
  static_cast<void>(!::write(ready.get(), "+", 1));
  ready.reset();
  return shim.run() ? 0 : 1;
}

}  // namespace

int run_shim(const std::filesystem::path& folder, int listener) {
  Result<Pipe> ready = make_pipe();
  if (!ready) return 1;
  const pid_t pid = fork();
  if (pid < 0) return 1;
  if (pid == 0) {
    ready->read.reset();
    _exit(serve(folder, listener, std::move(ready->write)));
  }
  ready->write.reset();
  pollfd wait{ready->read.get(), POLLIN, 0};
  poll(&wait, 1, -1);
  char byte = 0;
  return ::read(ready->read.get(), &byte, 1) == 1 ? 0 : 1;
}

}  // namespace holdfast::node
