/// A pod as the node reads it: what decides how its containers are run. Everything else stays in
/// the object.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::node {

struct Errand {
  enum class Kind { None, Exec, Http, Tcp, Sleep, Grpc };
  Kind kind = Kind::None;
  std::vector<std::string> command{};                          ///< Exec
  std::string host{}, path{}, scheme{};                        ///< Http, Tcp
  std::string port{};                                          ///< a number, or a port's name
  std::vector<std::pair<std::string, std::string>> headers{};  ///< Http
  std::string service{};                                       ///< Grpc
  std::chrono::seconds sleep{0};
};

struct Probe {
  Errand errand{};
  std::chrono::seconds initial_delay{0}, period{10}, timeout{1};
  int success_threshold = 1, failure_threshold = 3;
  std::optional<std::chrono::seconds> grace{};  ///< of a container that it ends
};

struct ContainerDef {
  std::string name{};
  const model::Value* object = nullptr;  ///< in Pod::object
  bool init = false, sidecar = false;    ///< a sidecar is an init container that stays
  std::string image{}, pull_policy{};
  Errand post_start{}, pre_stop{};
  std::string stop_signal{};
  std::optional<Probe> startup{}, liveness{}, readiness{};
  std::string termination_path = "/dev/termination-log", termination_policy = "File";
};

struct Pod {
  std::shared_ptr<const model::Value> object{};
  std::string ns{}, name{}, uid{};
  int64_t generation = 0;
  std::string restart_policy = "Always";
  std::vector<ContainerDef> containers{};  ///< init containers first, each kind in its order
  bool deleted = false;                    ///< asked to go
  std::chrono::seconds deletion_grace{0};
  std::chrono::seconds grace{30};
  std::optional<std::chrono::seconds> active_deadline{};
  std::vector<std::string> readiness_gates{};
  std::string phase{};  ///< in the server's eyes

  const ContainerDef* find(std::string_view container) const;
  bool terminal() const { return phase == "Succeeded" || phase == "Failed"; }
  /// "web-0_shop(1234-…)", as kubelet writes it in messages.
  std::string text() const { return name + "_" + ns + "(" + uid + ")"; }
};

Pod read_pod(std::shared_ptr<const model::Value> object);
/// The number of a port said by number or by name of one of the container's ports; 0 if there is
/// none.
int port_of(const ContainerDef& container, std::string_view port);

}  // namespace holdfast::node
