/// The embedded API server and operators on it, in one thread and with a clock moved by hand: the
/// tests say who takes the next step.
#pragma once

#include <holdfast/apiserver/core.h>
#include <holdfast/control/controller.h>
#include <holdfast/kube/informers.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::suite {

/// The server at the end of a wire that can be cut.
class Wire final : public net::Client {
 public:
  explicit Wire(apiserver::Core& core) : core_(core) {}
  Result<net::Response> call(const net::Call& call) override;
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override;
  /// A watch, read by pulling; null and the answer if the server refused it.
  std::shared_ptr<net::BodyStream> open(const net::Call& call, net::Response& answer);

  /// True: that request does not arrive.
  std::function<bool(const net::Call&)> cut_before{};
  /// True: its answer does not.
  std::function<bool(const net::Call&)> cut_after{};
  /// Every request that is no GET and arrived.
  std::vector<net::Call> writes{};

 private:
  net::Response ask(const net::Call& call);
  apiserver::Core& core_;
};

class World {
 public:
  World();
  ManualClock clock{WallTime(std::chrono::hours(24 * 365 * 56))};
  SeededRandom random{7};
  std::unique_ptr<apiserver::Core> core;
  std::unique_ptr<Wire> wire;  ///< of whoever is not under test
  std::unique_ptr<kube::Client> client;

  model::Value config_map(const std::string& name, const std::string& rest = "");
  kube::Client client_on(net::Client& transport);
  void advance(std::chrono::microseconds by) { clock.advance(by); }
  size_t count(const kube::Resource& resource);
};

/// One incarnation of an operator with one controller.
class Operator {
 public:
  Operator(World& world, control::ControllerSpec spec,
           control::Fence fence = control::Fence::open());
  /// Lets the caches take in all that the server has to tell.
  void watch();
  bool step() { return controller.step(); }
  /// Steps and watches until nothing is to be done within `patience`; false if it never ends.
  bool settle(std::chrono::microseconds patience = std::chrono::seconds(1), int most = 5000);

  World& world;
  Wire wire;
  kube::Client client;
  kube::Informers informers;
  control::Metrics metrics{};
  control::EventRecorder events;
  control::Controller controller;

 private:
  std::vector<std::shared_ptr<net::BodyStream>> streams_;
};

/// A reconciler that is a function.
control::ControllerSpec controller_of(
    std::vector<control::Watch> watches,
    std::function<Result<control::Outcome>(control::Pass&)> reconcile);

model::Value parsed(const std::string& json);

}  // namespace holdfast::suite
