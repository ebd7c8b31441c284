#include "replicaset/plan.h"

#include <holdfast/model/time.h>

#include "pods/claim.h"

#include <gtest/gtest.h>

namespace holdfast::workloads::replicaset {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

const WallTime kNow = *model::parse_rfc3339("2026-01-01T12:00:00Z");

kube::Cached cached(std::string_view name, std::string_view uid) {
  auto object = kube::Cached::from_value(model::Object{
      {"metadata",
       model::Object{
           {"namespace", "shop"}, {"name", name}, {"uid", uid}, {"resourceVersion", "7"}}}});
  EXPECT_TRUE(object);
  return *object;
}

/// "create pods shop/web-x"; "" if nothing is written.
std::string written(const Outcome& outcome) {
  return outcome.write() == nullptr ? "" : outcome.write()->text();
}

constexpr const char* kCreate = "create pods shop/web-next1";
constexpr const char* kReport = "update replicasets.apps/status shop/web";

/// What is told of the set.
ReplicaSetStatus status_in(const Outcome& outcome) {
  return read_replica_set(outcome.write()->body).status;
}

Pod pod(std::string name, std::string controller = "set-uid") {
  Pod out;
  out.object = cached(name, name);
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
  out.set.object = cached("web", "set-uid");
  out.set.meta.ns = "shop";
  out.set.meta.name = "web";
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
  const Outcome next = plan(seen(3, {pod("a")}));

  ASSERT_EQ(written(next), kCreate);
  const model::Meta made = model::meta_of(next.write()->body);
  EXPECT_EQ(model::string_at(next.write()->body, {"metadata", "generateName"}), "web-");
  ASSERT_EQ(made.owners.size(), 1U);
  EXPECT_EQ(made.owners[0].uid, "set-uid");
  EXPECT_EQ(next.write()->note->message, "Created pod: web-next1");
}

TEST(ReplicaSetPlan, CountsOnlyPodsThatAreNeitherEndedNorGoing) {
  Pod failed = pod("failed"), going = pod("going");
  failed.phase = "Failed";
  going.meta.deletion_timestamp = "2026-01-01T11:59:00Z";

  EXPECT_EQ(written(plan(seen(1, {failed, going}))), kCreate);
}

TEST(ReplicaSetPlan, DeletesTheFirstToGoWhenThereAreTooMany) {
  Pod starting = pod("starting");
  starting.ready = false;

  EXPECT_EQ(written(plan(seen(1, {pod("a"), starting}))), "delete pods shop/starting");
}

TEST(ReplicaSetPlan, AdoptsAndReleasesBeforeItCounts) {
  Pod strange = pod("strange");
  strange.meta.labels = {{"app", "db"}};

  Seen orphaned = seen(0, {pod("orphan", "")});
  EXPECT_EQ(plan(orphaned).asked(), kMayAdopt);
  orphaned.may_adopt = true;
  const Outcome taken = plan(orphaned);
  ASSERT_EQ(written(taken), "patch pods shop/orphan");
  EXPECT_EQ(controller_of(model::meta_of(taken.write()->body)), "set-uid");
  const Outcome let_go = plan(seen(0, {strange}));
  ASSERT_EQ(written(let_go), "patch pods shop/strange");
  EXPECT_EQ(controller_of(model::meta_of(let_go.write()->body)), "");
  EXPECT_EQ(plan(told(seen(0, {}))).kind, Outcome::Kind::Done);
}

TEST(ReplicaSetPlan, AReplicaSetThatIsBeingDeletedOnlyReports) {
  Seen going = seen(3, {pod("orphan", ""), pod("a")});
  going.set.meta.deletion_timestamp = "2026-01-01T11:59:00Z";

  const Outcome next = plan(going);

  ASSERT_EQ(written(next), kReport);
  EXPECT_EQ(status_in(next).replicas, 1);
}

TEST(ReplicaSetPlan, ReportsCountsAndGeneration) {
  Pod unlabelled = pod("a"), starting = pod("b");
  Seen now = seen(2, {unlabelled, starting});
  now.set.pod_template =
      model::parse_json(R"({"metadata":{"labels":{"app":"web","tier":"front"}}})")->value;
  now.pods[1].meta.labels.emplace_back("tier", "front");
  now.pods[1].ready = false;

  const Outcome next = plan(now);

  ASSERT_EQ(written(next), kReport);
  EXPECT_EQ(status_in(next), (ReplicaSetStatus{2, 1, 1, 1, 3, {}}));
}

TEST(ReplicaSetPlan, WaitsForReadyPodsToBecomeAvailable) {
  Seen now = told(seen(1, {pod("a")}));
  now.pods[0].ready_since = kNow - 4s;
  now.set.min_ready_seconds = 10;
  now.set.status.available = 0;

  const Outcome next = plan(now);

  EXPECT_EQ(next.kind, Outcome::Kind::Wait);
  EXPECT_EQ(next.again, 6s);
}

TEST(ReplicaSetPlan, TellsOfARefusalOnceAndThenTriesAgain) {
  Seen now = told(seen(2, {pod("a")}));
  now.refusal = "pods \"x\" is forbidden: exceeded quota";

  const Outcome first = plan(now);
  ASSERT_EQ(written(first), kReport);
  const ReplicaSetStatus status = status_in(first);
  ASSERT_EQ(status.conditions.size(), 1U);
  EXPECT_EQ(model::string_at(status.conditions[0], {"reason"}), "FailedCreate");
  EXPECT_EQ(model::string_at(status.conditions[0], {"message"}), now.refusal);

  now.set.status = status;
  now.refusal = "";
  EXPECT_EQ(written(plan(now)), kCreate);
  now.refusal = "pods \"y\" is forbidden: exceeded quota";
  EXPECT_EQ(written(plan(now)), kCreate) << "the first message stays, and so does the status";
}

TEST(ReplicaSetPlan, TakesTheFailureBackOnceTheNumberIsRight) {
  Seen now = told(seen(1, {pod("a")}));
  now.set.status.conditions = {model::Object{{"type", "ReplicaFailure"}, {"status", "True"}}};

  const Outcome next = plan(now);

  ASSERT_EQ(written(next), kReport);
  EXPECT_TRUE(status_in(next).conditions.empty());
}

TEST(ReplicaSetPlan, RestsWhenTheNamespaceIsEnding) {
  Seen now = told(seen(2, {pod("a")}));
  now.namespace_ending = true;

  EXPECT_EQ(plan(now).kind, Outcome::Kind::Done);
}

}  // namespace
}  // namespace holdfast::workloads::replicaset
