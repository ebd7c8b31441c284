/// The API server as its users start it: a process of its own, which can be killed at any moment.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/base/result.h>
#include <holdfast/net/client.h>

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace holdfast::campaign {

struct ServerSettings {
  std::string binary;
  std::filesystem::path data_dir;
  std::filesystem::path log;  ///< its stderr, appended
  uint16_t port = 0;
  size_t descriptors = 0;  ///< its soft limit of open files; 0: ours
};

/// A port of 127.0.0.1 that is free now and that the kernel hands to nobody by itself, so that the
/// server finds it free again after each kill.
uint16_t pick_port(Random& random);

class ServerProcess {
 public:
  /// Returns at once; the process dies with ours, whatever happens to us.
  static Result<std::unique_ptr<ServerProcess>> spawn(const ServerSettings& settings,
                                                      const Clock& clock);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// The time from spawn to the line that says ready.
  Result<std::chrono::milliseconds> wait_ready();
  /// SIGKILL, and waits until it is gone.
  void kill_now();
  pid_t pid() const { return pid_; }
  int64_t rss_bytes() const;

 private:
  ServerProcess(pid_t pid, int out, const Clock& clock)
      : pid_(pid), out_(out), clock_(clock), start_(clock.mono()) {}

  pid_t pid_;
  int out_;
  const Clock& clock_;
  MonoTime start_;
};

/// Address and credentials that the server wrote into its data folder.
Result<net::ClientOptions> admin_of(const std::filesystem::path& data_dir);
Result<std::unique_ptr<net::Client>> connect(const std::filesystem::path& data_dir);

/// A 2xx answer's body; any other answer is an error that quotes it.
Result<std::string> send(net::Client& client, std::string method, std::string target,
                         std::string body = {}, std::string_view type = "application/json");

}  // namespace holdfast::campaign
