/// Which API server a command speaks with, as whom, and in which namespace; kubectl's flags.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>
#include <holdfast/kube/config.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

struct ServerChoice {
  kube::ConfigChoice config{};
  std::string ns{};  ///< "" = the context's
  std::string as_user{};
  std::vector<std::string> as_groups{};
};

void add_server_options(CLI::App& command, ServerChoice& choice);

/// A client of the chosen server.
class Server {
 public:
  static Result<std::unique_ptr<Server>> connect(const ServerChoice& choice);
  kube::Client& client() { return *client_; }
  const std::string& ns() const { return ns_; }
  const Clock& clock() const { return clock_; }

 private:
  Server() = default;
  SystemClock clock_;
  SystemRandom random_;
  std::string ns_;
  std::unique_ptr<net::Client> transport_;
  std::unique_ptr<kube::Client> client_;
};

/// The exit code of a failure that was said on standard error.
int fail(const Error& error);

/// What the server said, in kubectl's words: "Error from server (NotFound): pods "a" not found".
std::string server_words(const kube::Failure& failure);

}  // namespace holdfast::cli
