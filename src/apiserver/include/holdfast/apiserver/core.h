/// The API server without threads or sockets: requests in, responses out, stepped by its owner.
/// Production puts it behind TLS (daemon.h); tests and the simulation call `serve` directly.
#pragma once

#include <holdfast/apiserver/nodes.h>
#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/base/result.h>
#include <holdfast/net/http.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::apiserver {

/// Watches can resume for five minutes, as on the real server; the rest is slack.
inline constexpr std::chrono::seconds kHistory{420};

struct CoreOptions {
  std::string state_file;                     ///< SQLite; "" keeps state in memory only
  std::string controllers = "*";              ///< kube-controller-manager's syntax
  std::chrono::seconds history = kHistory;    ///< how long older versions can be read and watched
  std::string token_csv;                      ///< text of a --token-auth-file
  std::string sa_private_key, sa_public_key;  ///< PEM
  std::string ca_certificate;                 ///< PEM; published as kube-root-ca.crt
  std::string address = "127.0.0.1:6443";     ///< as clients see the server
  Nodes* nodes = nullptr;  ///< outlives the core; null: what nodes answer is refused (503)
};

class Core : public net::Service {
 public:
  /// Loads the state, creates what every cluster has (namespaces, default roles, Service
  /// kubernetes).
  static Result<std::unique_ptr<Core>> make(CoreOptions options, const Clock& clock,
                                            Random& random);
  ~Core() override = default;

  /// Never waits. The response may come later (once its write is durable), from the thread that
  /// commits.
  void serve(net::Request request, net::Respond respond) override = 0;

  /// One group commit; true if there was something. Only one thread may commit at a time.
  virtual bool commit() = 0;
  virtual void wait_for_commit_work(std::chrono::milliseconds limit) = 0;
  /// One piece of background work (controllers, expiry, compaction); false if nothing is to be done
  /// now.
  virtual bool step() = 0;
  virtual void wait_for_background_work(std::chrono::milliseconds limit) = 0;
  /// A line for each request that has had no answer for long: what it waits for. Told again each
  /// time that it has waited twice as long. Waits for nothing that requests wait for.
  virtual std::vector<std::string> overdue() = 0;
  /// Ends all watches; later requests are answered 503.
  virtual void shut_down() = 0;
};

}  // namespace holdfast::apiserver
