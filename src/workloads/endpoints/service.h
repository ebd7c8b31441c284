/// Sources of Endpoints and EndpointSlices: a Service, and the pods that it selects.
#pragma once

#include <holdfast/control/reconciler.h>

#include "pods/pod.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::workloads::endpoints {

struct Backend : Pod {
  model::Value value{};
  std::vector<std::string> addresses{};  ///< status.podIPs
  WallTime changed{};                    ///< when its readiness last did; zero if never
  std::optional<std::string> zone{};     ///< of its node
  bool node_missing = false;

  bool going() const { return !meta.deletion_timestamp.empty(); }
  /// It has an address and has not ended.
  bool reachable() const { return !terminal(*this) && !addresses.empty(); }
};

struct Service {
  kube::Cached object{};
  model::Value value{};
  std::string ns{}, name{}, uid{};
  bool being_deleted = false;
  bool publishes_unready = false;
  bool headless = false;  ///< without an address of its own
  std::vector<std::string> families{};

  /// Neither of another name nor left to whoever writes the endpoints by hand.
  bool selects() const;
};

Service read_service(const kube::Cached& object);
/// All pods that it selects, ordered by name.
std::vector<Backend> backends(control::Pass& pass, const Service& service);
Backend read_backend(const kube::Cached& object);

/// The number that a port of the Service means on this pod; nothing if it names a port the pod
/// does not have.
std::optional<int64_t> target_port(const model::Value& service_port, const model::Value& pod);
bool is_v6(std::string_view address);
/// Headless services give pods that ask for it a name under theirs.
bool shows_hostname(const Service& service, const model::Value& pod);
/// {kind, namespace, name, uid}
model::Value reference_to(const Backend& pod);

/// Services that a change of a pod concerns: those that select it, before or after.
control::Lookup services_of_pod();

}  // namespace holdfast::workloads::endpoints
