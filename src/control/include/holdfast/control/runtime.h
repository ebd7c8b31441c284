/// Everything a process with controllers needs, in the order it starts: health and metrics pages,
/// webhooks, caches, leader election, controllers; stopped in reverse.
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
  std::chrono::milliseconds sync_limit{120000};
  std::chrono::milliseconds stop_limit{30000};
  std::chrono::milliseconds request_timeout{5000};  ///< of each write; the fence counts with it
  bool say_basis = false;
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
  /// Caches are synced and, with election, we lead: controllers may be stepped.
  bool may_reconcile() const;

  /// Where the pages are served, once run() has started them: "127.0.0.1:8081". Empty before.
  std::string pages_address() const;
  /// Until asked to stop, or until the lease is lost or the caches do not come (an Error that
  /// says which and why).
  Result<void> run(const std::stop_token& stop);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace holdfast::control
