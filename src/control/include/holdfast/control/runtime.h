/// Runtime of a process with controllers, in order of start: health and metrics pages, webhooks,
/// caches, leader election, controllers; stopped in reverse. Each controller begins when its own
/// caches are filled: a kind that is not served, or forbidden, keeps no other from running.
#pragma once

#include <holdfast/control/controller.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::control {

struct RuntimeSettings {
  std::string name = "holdfast";  ///< user agent and field manager
  std::string instance{};         ///< this process among its like, in events: the host's name
  std::string host{};             ///< of the API server, in metrics
  std::optional<ElectorSettings> election{};
  std::string pages_listen{};  ///< HOST:PORT of /healthz, /readyz, /metrics; "" = none
  std::chrono::milliseconds stop_limit{30000};
  std::chrono::milliseconds request_timeout{5000};  ///< of each write; the fence counts with it
  bool say_basis = false;
};

/// A part of the process, such as a driver: all controllers that name it.
struct Part {
  std::string name{};
  bool running = false;
  /// Running, NotLeading, CachesFilling, KindNotServed, Forbidden or ServerAway.
  std::string reason{};
  std::string message{};
  bool operator==(const Part&) const = default;
};

/// The parts without their threads: production runs them (run), the simulation steps them.
class Runtime {
 public:
  Runtime(RuntimeSettings settings, net::Client& transport, const Clock& clock, Random& random,
          const kube::Sleep& sleep);
  ~Runtime();

  void add(ControllerSpec spec);

  kube::Informers& informers();
  const std::vector<std::unique_ptr<Controller>>& controllers() const;
  Elector* elector();  ///< null without election
  EventRecorder& events();
  Metrics& metrics();
  kube::Client& client();
  bool leads() const;  ///< always, without election
  /// We lead, and its caches are synced: it may be stepped.
  bool may_reconcile(const Controller& controller) const;
  bool may_reconcile() const;  ///< every controller
  /// As last looked at by run(): once a second. Controllers that name no part are in none.
  std::vector<Part> parts() const;

  /// Where the pages are served, once run() has started them: "127.0.0.1:8081". Empty before.
  std::string pages_address() const;
  /// Until asked to stop, or until the lease is lost (an Error that says how). It stands for
  /// election once a controller could run; a server that is away is waited for. Invalid before
  /// anything starts if an operation of a controller may take so long that the lease, between two
  /// renewals, would not outlast it: it would never be begun, or run beside the next leader's.
  Result<void> run(const std::stop_token& stop);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace holdfast::control
