/// Commands in pods and logs of containers: exec over WebSocket (v5.channel.k8s.io, or v4), logs as
/// a stream of bytes.
#pragma once

#include <holdfast/kube/client.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::kube {

struct ExecOptions {
  std::string container{};  ///< "" = the pod's only one
  bool input = false;       ///< the command has standard input; else it reads the end of file
  bool tty = false;         ///< its output and errors come as one
  /// Of the whole session; then it is closed, and how the command ends stays unknown. 0 = none.
  std::chrono::milliseconds limit{0};
};

/// How a command ended, as far as anybody knows.
struct ExecEnd {
  std::optional<int> code{};  ///< unknown: it may still run, or never have begun
  std::string message{};      ///< why it is unknown, or what the server says of the failure
  model::Value status{};      ///< the Status of the error channel; null if none came
};

/// A command while it runs. The connection is its lease: when the session goes, or its process
/// dies, the command reads the end of its input. It is not killed, so a command that holds
/// something must end on that.
///
/// A thread of its own receives, so that a held session stays alive unattended; it takes no more
/// than 1 MiB that nobody has asked for. One thread may call next() while another writes.
class ExecSession {
 public:
  virtual ~ExecSession() = default;
  struct Event {
    enum class Kind { Output, Errors, End } kind = Kind::Output;
    std::string data{};  ///< bytes of the command; never empty, but of an End
  };

  /// Nothing: none came until then. After an End always that again, see end().
  virtual std::optional<Event> next(MonoTime until = MonoTime::max()) = 0;
  /// After an End event.
  virtual const ExecEnd& end() const = 0;
  /// Waits while the command does not read. Unavailable: the session is over.
  virtual Result<void> write(std::string_view bytes) = 0;
  /// The command reads the end of its input and may still say something. Invalid if the server
  /// speaks v4 only: there the end of the input is the end of the session.
  virtual Result<void> end_input() = 0;
  virtual bool can_end_input() const = 0;
  virtual Result<void> resize(int columns, int rows) = 0;
  /// Ends the session from any thread; wakes who waits.
  virtual void close() = 0;
};

/// A Failure that is `ambiguous` may have started the command.
Reply<std::unique_ptr<ExecSession>> exec(Client& client, std::string_view ns, std::string_view pod,
                                         const std::vector<std::string>& command,
                                         const ExecOptions& options);

struct LogOptions {
  std::string container{};  ///< "" = the pod's only one
  bool follow = false;
  bool previous = false;  ///< of the container before its last restart
  bool timestamps = false;
  std::optional<int64_t> since_seconds{}, tail_lines{}, limit_bytes{};
  std::optional<WallTime> since_time{};
  bool insecure_backend = false;  ///< the node's certificate is not verified by the server
};

/// Hands over the log as it comes, until its end, until `on_data` returns false, or the stop.
Reply<void> logs(Client& client, std::string_view ns, std::string_view pod,
                 const LogOptions& options, const std::function<bool(std::string_view)>& on_data,
                 std::stop_token stop = {});

}  // namespace holdfast::kube
