#include <holdfast/control/runtime.h>

#include "cached_objects.h"

#include <gtest/gtest.h>

namespace holdfast::control {
namespace {

using namespace std::chrono_literals;

class NoServer final : public net::Client {
 public:
  Result<net::Response> call(const net::Call&) override {
    return Error(Fault::Unavailable, "there is none");
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }
};

/// Fails twice, then is done.
struct Failing final : Reconciler {
  Failing(Fault fault, int& passes) : fault_(fault), passes_(passes) {}
  Result<Outcome> reconcile(Pass&) override {
    if (++passes_ <= 2) return Error(fault_, "it could not be read");
    return Outcome::done();
  }
  const Fault fault_;
  int& passes_;
};

struct ControllerTest : testing::Test {
  /// How often the key is looked at within an hour in which nothing changes.
  int passes_if(Fault fault) {
    int passes = 0;
    kube::Informers informers(random);
    kube::Client client(transport, clock, random, [](auto, const auto&) {}, {.tries = 1});
    EventRecorder events(client, clock, "test-1");
    Metrics metrics;
    ControllerSpec spec;
    spec.name = "test";
    spec.watches = {{.scope = {.resource = kube::kConfigMaps}}};
    spec.make = [&] { return std::make_unique<Failing>(fault, passes); };
    Controller controller(std::move(spec),
                          {informers, client, clock, Fence::open(), events, metrics});
    controller.enqueue({"shop", "a"});
    for (int second = 0; second < 3600; ++second) {
      controller.step();
      clock.advance(1s);
    }
    return passes;
  }
  ManualClock clock{WallTime{}};
  SeededRandom random{1};
  NoServer transport;
};

TEST_F(ControllerTest, APassThatMayNotReadIsTriedAgain) {
  EXPECT_EQ(passes_if(Fault::Denied), 3) << "who has its rights back goes on";
  EXPECT_EQ(passes_if(Fault::Unavailable), 3);
}

TEST_F(ControllerTest, APassThatFailsForGoodIsNot) { EXPECT_EQ(passes_if(Fault::Invalid), 1); }

}  // namespace
}  // namespace holdfast::control
