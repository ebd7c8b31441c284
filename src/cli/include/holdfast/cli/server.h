/// API server of a command: its address, user and namespace, by kubectl's flags.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>
#include <holdfast/kube/config.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

struct ServerChoice {
  kube::ConfigChoice config{};
  std::string ns{};  ///< "" = the context's
  std::string as_user{};
  std::vector<std::string> as_groups{};
};

void add_server_options(CLI::App& command, ServerChoice& choice);

/// A subcommand with these options that runs `work`, which lives as long as it does and owns
/// `choice`. `code` becomes what it returns, or what its error means (see end_with).
CLI::App* add_server_command(CLI::App& app, const std::string& name, const std::string& help,
                             ServerChoice& choice, std::function<Result<int>()> work, int& code);

/// A client of the chosen server.
class Server {
 public:
  static Result<std::unique_ptr<Server>> connect(const ServerChoice& choice);
  /// One that is connected already.
  Server(std::unique_ptr<net::Client> transport, std::string ns, kube::ClientSettings settings);
  kube::Client& client() { return client_; }
  const std::string& ns() const { return ns_; }
  const Clock& clock() const { return clock_; }

 private:
  SystemClock clock_;
  SystemRandom random_;
  const std::string ns_;
  const std::unique_ptr<net::Client> transport_;
  kube::Client client_;
};

}  // namespace holdfast::cli
