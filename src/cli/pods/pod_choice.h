/// Which pod and container a command is about, and the connection to its server; kubectl's flags.
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

struct PodChoice {
  kube::ConfigChoice config{};
  std::string ns{};  ///< "" = the context's
  std::string pod{};
  std::string container{};
  std::string as_user{};
  std::vector<std::string> as_groups{};
};

void add_pod_options(CLI::App& command, PodChoice& choice);

/// A client of the chosen server.
class PodServer {
 public:
  static Result<std::unique_ptr<PodServer>> connect(const PodChoice& choice);
  kube::Client& client() { return *client_; }
  const std::string& ns() const { return ns_; }
  /// The container asked for; else the one that the pod's annotation names, else its first. Says on
  /// standard error which of many it took.
  Result<std::string> container(const PodChoice& choice);

 private:
  PodServer() = default;
  SystemClock clock_;
  SystemRandom random_;
  std::string ns_;
  std::unique_ptr<net::Client> transport_;
  std::unique_ptr<kube::Client> client_;
};

/// "pod/web" is "web".
std::string pod_name(const std::string& text);

int fail(const Error& error);

}  // namespace holdfast::cli
