/// Limits of operations beside the length of the lease.
#include <holdfast/control/runtime.h>

#include "cached_objects.h"

namespace holdfast::control {
namespace {

using namespace std::chrono_literals;

/// Says no to everything, and counts.
class Refusing final : public net::Client {
 public:
  Result<net::Response> call(const net::Call&) override {
    ++calls;
    return net::Response{.status = 403, .body = "{}"};
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }
  std::atomic<int> calls{0};
};

struct Idle final : Reconciler {
  Result<Outcome> reconcile(Pass&) override { return Outcome::done(); }
};

struct LimitsOfOperations : testing::Test {
  /// Runs an operator of that lease with that limit, asked to stop beforehand.
  Result<void> run(std::chrono::milliseconds lease, std::chrono::milliseconds limit) {
    RuntimeSettings settings;
    settings.election = ElectorSettings{
        .ns = "shop", .identity = "me", .lease = lease, .renew_within = 2500ms, .retry = 2000ms};
    Runtime runtime(std::move(settings), server_, clock_, random_, [](auto, const auto&) {});
    ControllerSpec spec;
    spec.name = "window-controller";
    spec.watch(kube::kPods);
    spec.make = [] { return std::make_unique<Idle>(); };
    spec.longest_operation = limit;
    runtime.add(std::move(spec));
    std::stop_source stop;
    stop.request_stop();
    return runtime.run(stop.get_token());
  }
  Refusing server_{};
  SystemClock clock_{};
  SystemRandom random_{};
};

TEST_F(LimitsOfOperations, OneThatTheLeaseMayNotOutlastIsRefusedBeforeTheStart) {
  const Result<void> ended = run(10s, 8s);

  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().fault(), Fault::Invalid);
  EXPECT_EQ(ended.error().what(),
            "lead by a lease of 10000 ms, renewed every 2000 ms: an operation of "
            "window-controller may take 8000 ms, and the lease could end before it");
  EXPECT_FALSE(ended.error().hint().empty());
  EXPECT_EQ(server_.calls, 0);
}

TEST_F(LimitsOfOperations, OneThatTheLeaseOutlastsIsNot) {
  EXPECT_TRUE(run(10s, 7999ms));
  EXPECT_TRUE(run(10s, 0s));
}

}  // namespace
}  // namespace holdfast::control
