#include "serve/exec_talk.h"

#include <holdfast/model/json.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

namespace holdfast::node {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr char kInput = 0, kOutput = 1, kError = 2, kEnd = 3, kResize = 4;
constexpr unsigned char kClose = 255;
constexpr size_t kPiece = size_t(32) << 10;
constexpr int kLookMilliseconds = 200;

std::string ended_with(int code) {
  if (code == 0) return model::to_json(Object{{"metadata", Object()}, {"status", "Success"}});
  return model::to_json(Object{
      {"metadata", Object()},
      {"status", "Failure"},
      {"message",
       fmt::format(
           "command terminated with non-zero exit code: command terminated with exit code {}",
           code)},
      {"reason", "NonZeroExitCode"},
      {"details", Object{{"causes", Array{Value(Object{{"reason", "ExitCode"},
                                                       {"message", std::to_string(code)}})}}}}});
}

std::string broken(std::string_view why) {
  return model::to_json(
      Object{{"metadata", Object()},
             {"status", "Failure"},
             {"message", fmt::format("Internal error occurred: {}", why)},
             {"reason", "InternalError"},
             {"details", Object{{"causes", Array{Value(Object{{"message", why}})}}}},
             {"code", 500}});
}

/// The ends of the command's descriptors: ours, and those that it gets.
struct Ends {
  Fd input, output, error;  ///< ours
  Fd its_input, its_output, its_error;
};

Result<Ends> make_terminal() {
  int master = -1, slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0)
    return system_error("make a terminal", errno);
  Ends ends;
  ends.output = Fd(master);
  ends.its_input = Fd(slave);
  for (const int fd : {master, slave}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(master, F_SETFL, O_NONBLOCK);
  ends.input = Fd(fcntl(master, F_DUPFD_CLOEXEC, 0));
  ends.its_output = Fd(fcntl(slave, F_DUPFD_CLOEXEC, 0));
  ends.its_error = Fd(fcntl(slave, F_DUPFD_CLOEXEC, 0));
  return ends;
}

Result<Ends> make_ends(const ExecRequest& request) {
  if (request.tty) return make_terminal();
  Ends ends;
  Pipe output = HF_TRY(make_pipe()), error = HF_TRY(make_pipe());
  ends.output = std::move(output.read);
  ends.its_output = std::move(output.write);
  ends.error = std::move(error.read);
  ends.its_error = std::move(error.write);
  if (!request.input) {
    ends.its_input = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    return ends;
  }
  Pipe input = HF_TRY(make_pipe());
  fcntl(input.read.get(), F_SETFL, 0);
  ends.its_input = std::move(input.read);
  ends.input = std::move(input.write);
  return ends;
}

class Conversation {
 public:
  Conversation(net::WebSocket& socket, Ends ends, bool tty)
      : socket_(socket), ends_(std::move(ends)), tty_(tty) {}

  void hold(ExecCall call) {
    std::jthread listener([this] { listen(); });
    const std::optional<int> code = pump(call);
    if (code)
      static_cast<void>(socket_.send(std::string(1, kEnd) + ended_with(*code)));
    else if (!gone_)
      static_cast<void>(socket_.send(std::string(1, kEnd) + broken("the pod's shim is gone")));
    socket_.close(net::WebSocket::kNormal, "");
  }

 private:
  /// What the client sends, until it closes or is cut off.
  void listen() {
    for (;;) {
      Result<std::optional<net::WebSocket::Message>> message = socket_.receive();
      // Nobody but the server itself closes on this side, when it stops.
      if (message && !*message) stopped_ = !socket_.closing();
      if (!message || !*message) break;
      const std::string& data = (*message)->data;
      if (data.empty()) continue;
      const auto channel = static_cast<unsigned char>(data[0]);
      if (channel == kInput) feed(std::string_view(data).substr(1));
      if (channel == kResize) resize(std::string_view(data).substr(1));
      if (channel == kClose && data.size() > 1 && data[1] == kInput) close_input();
    }
    gone_ = true;
    // Whoever reads stdin learns that nobody is there any more; the command itself is not killed.
    close_input();
  }

  void feed(std::string_view bytes) {
    while (!bytes.empty() && ends_.input) {
      const ssize_t wrote = ::write(ends_.input.get(), bytes.data(), bytes.size());
      if (wrote > 0) {
        bytes.remove_prefix(size_t(wrote));
      } else if (wrote < 0 && errno == EAGAIN) {
        pollfd ready{ends_.input.get(), POLLOUT, 0};
        poll(&ready, 1, kLookMilliseconds);
        if (over_) return;
      } else if (errno != EINTR) {
        return;  // the command has closed its stdin
      }
    }
  }

  void close_input() {
    if (tty_) return feed("\x04");
    ends_.input.reset();
  }

  void resize(std::string_view text) {
    const Result<model::Parsed> size = model::parse_json(text);
    if (!size || !tty_) return;
    winsize window{};
    window.ws_col = static_cast<unsigned short>(model::int_at(size->value, {"Width"}, 80));
    window.ws_row = static_cast<unsigned short>(model::int_at(size->value, {"Height"}, 24));
    ioctl(ends_.output.get(), TIOCSWINSZ, &window);
  }

  /// Output to the client until the command has ended and all of it is sent; its exit code, or
  /// nothing.
  std::optional<int> pump(ExecCall& call) {
    std::optional<int> code;
    bool shim_gone = false;
    while (!code && !shim_gone && !stopped_) {
      pollfd polls[3] = {{ends_.output.get(), POLLIN, 0},
                         {ends_.error.get(), POLLIN, 0},
                         {call.descriptor(), POLLIN, 0}};
      poll(polls, 3, kLookMilliseconds);
      pass(ends_.output, kOutput);
      pass(ends_.error, kError);
      if (polls[2].revents == 0) continue;
      Result<int> ended = call.exit_code(0);
      if (ended)
        code = *ended;
      else
        shim_gone = ended.error().fault() != Fault::Unavailable;
    }
    empty(ends_.output, kOutput);
    empty(ends_.error, kError);
    over_ = true;
    return code;
  }

  /// A child that lives on may hold the pipe open, and write on: what is in it now is what the
  /// command wrote.
  void empty(Fd& from, char channel) {
    // What is on its way through a terminal is not counted yet.
    int left = std::numeric_limits<int>::max();
    if (!tty_ && (!from || ioctl(from.get(), FIONREAD, &left) != 0)) return;
    while (left > 0) {
      const size_t got = pass(from, channel, size_t(left));
      if (got == 0) return;
      left -= int(got);
    }
  }

  /// How much was passed on.
  size_t pass(Fd& from, char channel, size_t most = kPiece) {
    if (!from) return 0;
    most = std::min(most, kPiece);
    std::string message(1 + most, channel);
    ssize_t got = -1;
    do got = ::read(from.get(), message.data() + 1, most);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
      message.resize(1 + size_t(got));
      // Nobody listens: the command goes on, its output is thrown away.
      if (!gone_ && !socket_.send(message)) gone_ = true;
      return size_t(got);
    }
    // EIO: the terminal's other end is closed.
    if (got == 0 || errno != EAGAIN) from.reset();
    return 0;
  }

  net::WebSocket& socket_;
  Ends ends_;
  const bool tty_;
  std::atomic<bool> gone_{false}, over_{false}, stopped_{false};
};

}  // namespace

void talk_exec(const ExecRequest& request, net::WebSocket& socket) {
  const auto refuse = [&socket](std::string_view why) {
    static_cast<void>(socket.send(std::string(1, kEnd) + broken(why)));
    socket.close(net::WebSocket::kNormal, "");
  };
  Result<ContainerSpec> spec =
      read_container_spec(request.pod_folder / "containers" / request.container_id / "spec.json");
  if (!spec) return refuse(spec.error().what());
  Result<Ends> ends = make_ends(request);
  if (!ends) return refuse(ends.error().what());
  ProcessSpec process = std::move(spec->process);
  process.args = request.command;
  process.tty = request.tty;
  if (request.tty) process.env.emplace_back("TERM=xterm");
  Result<ExecCall> call = ShimCalls(request.pod_folder)
                              .exec(request.container_id, process, ends->its_input.get(),
                                    ends->its_output.get(), ends->its_error.get());
  if (!call)
    return refuse(
        "error executing command in container: failed to exec in container: unable to start "
        "container process: " +
        call.error().what());
  ends->its_input.reset();
  ends->its_output.reset();
  ends->its_error.reset();
  Conversation(socket, ends.take(), request.tty).hold(call.take());
}

}  // namespace holdfast::node
