/// Plans for Driver objects, and when nothing is written.
#include "drivers/plan.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::Object;

DriverSeen seen(bool running) {
  DriverSeen out;
  out.name = "etcd";
  out.object =
      kube::Cached::from_value(
          Object{{"metadata", Object{{"name", "etcd"}, {"uid", "u-1"}, {"resourceVersion", "7"}}}})
          .take();
  out.part = control::Part{"etcd", running, running ? "Running" : "Forbidden", "said so"};
  out.now = WallTime(std::chrono::seconds(1767225600));
  return out;
}

TEST(DriverPlan, MakesTheObjectFirst) {
  DriverSeen now = seen(true);
  now.object = {};

  const Outcome outcome = plan_driver(now);

  ASSERT_NE(outcome.write(), nullptr);
  EXPECT_EQ(outcome.write()->text(), "create drivers.holdfast.dev etcd");
}

TEST(DriverPlan, WaitsUntilItWasLookedAt) {
  DriverSeen now = seen(true);
  now.part.reset();

  EXPECT_EQ(plan_driver(now).kind, Outcome::Kind::Wait);
}

TEST(DriverPlan, WritesTheConditionOnce) {
  DriverSeen now = seen(false);

  const Outcome outcome = plan_driver(now);

  ASSERT_NE(outcome.write(), nullptr);
  const model::Value& condition =
      model::array_at(outcome.write()->body, {"status", "conditions"}).front();
  EXPECT_EQ(model::string_at(condition, {"type"}), "Running");
  EXPECT_EQ(model::string_at(condition, {"status"}), "False");
  EXPECT_EQ(model::string_at(condition, {"reason"}), "Forbidden");
  now.record.status.conditions = {{"Running", "False", "Forbidden", "said so", "", 0}};
  EXPECT_EQ(plan_driver(now).kind, Outcome::Kind::Wait) << "nothing has changed";
}

TEST(DriverPlan, TellsThatItWasSwitchedOff) {
  DriverSeen now = seen(false);
  now.chosen = false;
  now.part.reset();

  const Outcome outcome = plan_driver(now);

  ASSERT_NE(outcome.write(), nullptr);
  const model::Value& condition =
      model::array_at(outcome.write()->body, {"status", "conditions"}).front();
  EXPECT_EQ(model::string_at(condition, {"reason"}), "SwitchedOff");
}

}  // namespace
}  // namespace holdfast::protect
