#include "run.h"

#include <holdfast/base/child.h>

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

constexpr std::string_view kScenario = R"(
why: a test
controllers: replicaset
workload:
- create:
    apiVersion: apps/v1
    kind: ReplicaSet
    metadata: {name: web}
    spec:
      replicas: 2
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec: {containers: [{name: main, image: "web:1"}]}
- await: rolled-out replicasets/web
finally: [same-end-state, ready pods 2]
)";

struct RunTest : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
  }
  Ending play(std::string_view scenario, uint64_t seed, std::string_view faults) {
    const auto read = scenario_from_yaml("test", scenario, {});
    EXPECT_TRUE(read) << read.error().what();
    const auto mishaps = faults_from_yaml(faults);
    EXPECT_TRUE(mishaps) << mishaps.error().what();
    const auto text =
        run_in_child([&] { return to_text(run(*world, *read, seed, *mishaps, true)); });
    EXPECT_TRUE(text) << text.error().what();
    auto ending = ending_from_text(text ? *text : "{}");
    EXPECT_TRUE(ending);
    return ending ? std::move(*ending) : Ending{};
  }
  std::unique_ptr<World> world;
};

TEST_F(RunTest, TheSameSeedAndFaultsGiveTheSameRun) {
  constexpr std::string_view kFaults =
      "- {at: write 2, do: crash-before-reply}\n- {at: 0.5s, do: relist, of: pods}\n";

  const Ending first = play(kScenario, 5, kFaults), second = play(kScenario, 5, kFaults);
  const Ending other = play(kScenario, 6, kFaults);

  EXPECT_TRUE(first.violations.empty()) << first.violations.front().text;
  EXPECT_FALSE(first.trace.empty());
  EXPECT_EQ(first.trace, second.trace);
  EXPECT_NE(first.trace, other.trace);
  EXPECT_EQ(first.end_state, other.end_state) << "chance must not show in the end";
}

TEST_F(RunTest, AGoalThatNeverComesIsAViolation) {
  std::string wrong(kScenario);
  wrong.replace(wrong.find("ready pods 2"), 12, "ready pods 3");

  const Ending ending = play(wrong, 1, "[]");

  ASSERT_FALSE(ending.violations.empty());
  EXPECT_EQ(ending.violations.front().oracle, "unmet");
}

TEST_F(RunTest, AWorkloadThatCannotGoOnIsAViolation) {
  std::string stuck(kScenario);
  stuck.replace(stuck.find("controllers: replicaset"), 23, "controllers: deployment");

  const Ending ending = play(stuck, 1, "[]");

  ASSERT_FALSE(ending.violations.empty());
  EXPECT_EQ(ending.violations.front().oracle, "stuck");
}

TEST_F(RunTest, MoreRequestsThanTheBudgetAreAViolation) {
  std::string poor(kScenario), rich(kScenario);
  poor.replace(poor.find("ready pods 2"), 12, "ready pods 2, requests <= 2");
  rich.replace(rich.find("ready pods 2"), 12, "ready pods 2, requests <= 200");

  const Ending over = play(poor, 1, "[]"), within = play(rich, 1, "[]");

  ASSERT_FALSE(over.violations.empty());
  EXPECT_EQ(over.violations.front().oracle, "requests");
  EXPECT_TRUE(within.violations.empty()) << within.violations.front().text;
  EXPECT_GT(within.requests, 2U);
}

TEST_F(RunTest, ABudgetOfAWaitCountsThatTimeAlone) {
  std::string early(kScenario), late(kScenario);
  early.replace(early.find("- await:"), 8, "- {wait: 5s, requests: 0}\n- await:");
  late.replace(late.find("finally:"), 8, "- wait: 1m\n- {wait: 1h, requests: 0}\nfinally:");

  const Ending busy = play(early, 1, "[]"), quiet = play(late, 1, "[]");

  ASSERT_FALSE(busy.violations.empty());
  EXPECT_EQ(busy.violations.front().oracle, "requests");
  EXPECT_TRUE(quiet.violations.empty()) << quiet.violations.front().text;
}

constexpr std::string_view kByAlice = R"(
why: a test
controllers: replicaset
workload:
- {as: alice, refused: true, create: {apiVersion: v1, kind: Secret, metadata: {name: early}}}
- create:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: Role
    metadata: {name: writer}
    rules: [{apiGroups: [""], resources: [secrets], verbs: [create]}]
- create:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata: {name: writer}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: writer}
    subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}]
- repeat: 3
  each: {as: alice, create: {apiVersion: v1, kind: Secret, metadata: {name: s-$i}}}
finally: [count secrets 3]
)";

TEST_F(RunTest, AUserOfTheWorkloadHasOnlyTheRightsThatItWasGiven) {
  std::string unbound(kByAlice);
  unbound.replace(unbound.find("name: alice}]"), 13, "name: bob}]");

  const Ending may = play(kByAlice, 1, "[]"), may_not = play(unbound, 1, "[]");

  EXPECT_TRUE(may.violations.empty()) << may.violations.front().text;
  ASSERT_FALSE(may_not.violations.empty());
  EXPECT_NE(may_not.violations.front().text.find("forbidden"), std::string::npos);
}

TEST(Scenario, RefusesWhatItDoesNotKnow) {
  const auto refused = [](std::string text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
    return !scenario_from_yaml("test", text, {});
  };
  const std::string good(kScenario);

  EXPECT_TRUE(scenario_from_yaml("test", good, {}));
  EXPECT_TRUE(refused(good, "why: a test", "because: a test"));
  EXPECT_TRUE(refused(good, "why: a test", "why: ''"));
  EXPECT_TRUE(refused(good, "controllers: replicaset", "controllers: replicasets"));
  EXPECT_TRUE(refused(good, "await: rolled-out", "await: rolledout"));
  EXPECT_TRUE(refused(good, "ready pods 2", "ready pods"));
  EXPECT_TRUE(refused(good, "ready pods 2", "requests < 2"));
  EXPECT_TRUE(refused(good, "finally:", "always: [fun]\nfinally:"));
  EXPECT_TRUE(refused(good, "finally:", "faults: [{crash: sometimes}]\nfinally:"));
}

}  // namespace
}  // namespace holdfast::sim
