#include "replicaset/plan.h"

#include <holdfast/model/time.h>

#include <gtest/gtest.h>

namespace holdfast::workloads::replicaset {
namespace {

using namespace std::chrono_literals;
using Do = Step::Do;

const WallTime kNow = *model::parse_rfc3339("2026-01-01T12:00:00Z");

Pod pod(std::string name, std::string controller = "set-uid") {
  Pod out;
  out.meta.ns = "shop";
  out.meta.name = out.meta.uid = std::move(name);
  out.meta.labels = {{"app", "web"}};
  if (!controller.empty())
    out.meta.owners = {{"apps/v1", "ReplicaSet", "web", controller, true, true}};
  out.controller = std::move(controller);
  out.phase = "Running";
  out.node = "node-1";
  out.ready = true;
  out.ready_since = kNow - 1h;
  return out;
}

Seen seen(int64_t replicas, std::vector<Pod> pods) {
  Seen out;
  out.set.meta.ns = "shop";
  out.set.meta.uid = "set-uid";
  out.set.meta.generation = 3;
  out.set.replicas = replicas;
  out.set.selector = *model::LabelSelector::parse("app=web");
  out.set.pod_template = model::parse_json(R"({"metadata":{"labels":{"app":"web"}}})")->value;
  out.pods = std::move(pods);
  out.free_name = "web-next1";
  out.now = kNow;
  return out;
}

/// The status that its pods give it, as if it had been told already.
Seen told(Seen out) {
  const auto count = static_cast<int64_t>(out.pods.size());
  out.set.status = {count, count, count, count, out.set.meta.generation, {}};
  return out;
}

TEST(ReplicaSetPlan, CreatesOnePodAtATimeUnderTheFreeName) {
  const Step step = plan(seen(3, {pod("a")}));

  EXPECT_EQ(step.what, Do::Create);
  EXPECT_EQ(step.name, "web-next1");
}

TEST(ReplicaSetPlan, CountsOnlyPodsThatAreNeitherEndedNorGoing) {
  Pod failed = pod("failed"), going = pod("going");
  failed.phase = "Failed";
  going.meta.deletion_timestamp = "2026-01-01T11:59:00Z";

  EXPECT_EQ(plan(seen(1, {failed, going})).what, Do::Create);
}

TEST(ReplicaSetPlan, DeletesTheFirstToGoWhenThereAreTooMany) {
  Pod starting = pod("starting");
  starting.ready = false;

  const Step step = plan(seen(1, {pod("a"), starting}));

  EXPECT_EQ(step.what, Do::Delete);
  EXPECT_EQ(step.pod.meta.name, "starting");
}

TEST(ReplicaSetPlan, AdoptsAndReleasesBeforeItCounts) {
  Pod strange = pod("strange");
  strange.meta.labels = {{"app", "db"}};

  EXPECT_EQ(plan(seen(0, {pod("orphan", "")})).what, Do::Adopt);
  EXPECT_EQ(plan(seen(0, {strange})).what, Do::Release);
  EXPECT_EQ(plan(told(seen(0, {}))).what, Do::Nothing);
}

TEST(ReplicaSetPlan, AReplicaSetThatIsBeingDeletedOnlyReports) {
  Seen going = seen(3, {pod("orphan", ""), pod("a")});
  going.set.meta.deletion_timestamp = "2026-01-01T11:59:00Z";

  const Step step = plan(going);

  EXPECT_EQ(step.what, Do::Report);
  EXPECT_EQ(step.status.replicas, 1);
}

TEST(ReplicaSetPlan, ReportsCountsAndGeneration) {
  Pod unlabelled = pod("a"), starting = pod("b");
  Seen now = seen(2, {unlabelled, starting});
  now.set.pod_template =
      model::parse_json(R"({"metadata":{"labels":{"app":"web","tier":"front"}}})")->value;
  now.pods[1].meta.labels.emplace_back("tier", "front");
  now.pods[1].ready = false;

  const Step step = plan(now);

  ASSERT_EQ(step.what, Do::Report);
  EXPECT_EQ(step.status, (ReplicaSetStatus{2, 1, 1, 1, 3, {}}));
}

TEST(ReplicaSetPlan, WaitsForReadyPodsToBecomeAvailable) {
  Seen now = told(seen(1, {pod("a")}));
  now.pods[0].ready_since = kNow - 4s;
  now.set.min_ready_seconds = 10;
  now.set.status.available = 0;

  const Step step = plan(now);

  EXPECT_EQ(step.what, Do::Nothing);
  EXPECT_EQ(step.again, std::chrono::microseconds(6s));
}

TEST(ReplicaSetPlan, TellsOfARefusalOnceAndThenTriesAgain) {
  Seen now = told(seen(2, {pod("a")}));
  now.refusal = "pods \"x\" is forbidden: exceeded quota";

  const Step first = plan(now);
  ASSERT_EQ(first.what, Do::Report);
  ASSERT_EQ(first.status.conditions.size(), 1U);
  EXPECT_EQ(model::string_at(first.status.conditions[0], {"reason"}), "FailedCreate");
  EXPECT_EQ(model::string_at(first.status.conditions[0], {"message"}), now.refusal);

  now.set.status = first.status;
  now.refusal = "";
  EXPECT_EQ(plan(now).what, Do::Create);
  now.refusal = "pods \"y\" is forbidden: exceeded quota";
  EXPECT_EQ(plan(now).what, Do::Create) << "the first message stays, and so does the status";
}

TEST(ReplicaSetPlan, TakesTheFailureBackOnceTheNumberIsRight) {
  Seen now = told(seen(1, {pod("a")}));
  now.set.status.conditions = {model::Object{{"type", "ReplicaFailure"}, {"status", "True"}}};

  const Step step = plan(now);

  ASSERT_EQ(step.what, Do::Report);
  EXPECT_TRUE(step.status.conditions.empty());
}

TEST(ReplicaSetPlan, RestsWhenTheNamespaceIsEnding) {
  Seen now = told(seen(2, {pod("a")}));
  now.namespace_ending = true;

  EXPECT_EQ(plan(now).what, Do::Nothing);
}

}  // namespace
}  // namespace holdfast::workloads::replicaset
