#include <holdfast/model/time.h>

#include "pods/claim.h"
#include "pods/pod.h"
#include "pods/ranking.h"
#include "pods/template.h"

#include <gtest/gtest.h>

namespace holdfast::workloads {
namespace {

using namespace std::chrono_literals;

const WallTime kNow = *model::parse_rfc3339("2026-01-01T12:00:00Z");

Pod running(std::string uid, WallTime ready_since = kNow - 1h) {
  Pod pod;
  pod.meta.uid = std::move(uid);
  pod.node = "node-1";
  pod.phase = "Running";
  pod.ready = true;
  pod.ready_since = ready_since;
  pod.created = kNow - 2h;
  return pod;
}

std::string order(std::vector<Pod> pods, const std::vector<Pod>& related = {}) {
  std::string out;
  for (const Pod& pod : first_to_go(std::move(pods), related, kNow)) out += pod.meta.uid;
  return out;
}

TEST(Ranking, EachRuleOverrulesThoseBelowIt) {
  Pod unbound = running("a");
  unbound.node = "";
  Pod pending = running("b");
  pending.phase = "Pending";
  Pod not_ready = running("c");
  not_ready.ready = false;
  Pod cheap = running("d");
  cheap.deletion_cost = -1;
  Pod restarted = running("e");
  restarted.restarts = 3;
  const Pod steady = running("f");

  EXPECT_EQ(order({steady, restarted, cheap, not_ready, pending, unbound}), "abcdef");
}

TEST(Ranking, TheCrowdedNodeIsRelievedFirst) {
  Pod lonely = running("a");
  lonely.node = "node-2";
  const Pod crowded = running("b");

  EXPECT_EQ(order({lonely, crowded}, {crowded, running("c"), lonely}), "ba");
}

TEST(Ranking, TheYoungerGoesUnlessAgesAreOfTheSameOrder) {
  EXPECT_EQ(order({running("a", kNow - 10h), running("b", kNow - 1min)}), "ba");
  // 40 and 50 minutes lie between the same powers of two, so the uids decide.
  EXPECT_EQ(order({running("b", kNow - 40min), running("a", kNow - 50min)}), "ab");
}

TEST(Pod, IsAvailableOnlyAfterItWasReadyLongEnough) {
  const Pod pod = running("a", kNow - 5s);

  EXPECT_TRUE(available(pod, 0, kNow));
  EXPECT_TRUE(available(pod, 5, kNow));
  EXPECT_FALSE(available(pod, 6, kNow));
  EXPECT_EQ(next_available({pod, running("b", kNow - 9s)}, 10, kNow), 1s);
  EXPECT_EQ(next_available({pod}, 5, kNow), std::nullopt);
}

TEST(Pod, ReadsWhatTheRankingNeeds) {
  const model::Value object =
      model::parse_json(
          R"({"metadata":{"name":"p","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z",
      "annotations":{"controller.kubernetes.io/pod-deletion-cost":"-7"},
      "ownerReferences":[{"uid":"x"},{"uid":"o","controller":true}]},
      "spec":{"nodeName":"n","initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"}]},
      "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T01:00:00Z"}],
      "containerStatuses":[{"restartCount":2},{"restartCount":4}],
      "initContainerStatuses":[{"name":"i","restartCount":9},{"name":"s","restartCount":1}]}})")
          ->value;

  const Pod pod = read_pod(object);

  EXPECT_EQ(pod.controller, "o");
  EXPECT_EQ(pod.deletion_cost, -7);
  EXPECT_EQ(pod.restarts, 4);
  EXPECT_EQ(pod.sidecar_restarts, 1);
  EXPECT_EQ(pod.ready_since, model::parse_rfc3339("2026-01-01T01:00:00Z"));
}

TEST(Claim, FollowsOwnerFirstAndSelectorSecond) {
  Claimant claimant{"shop", "me", false, *model::LabelSelector::parse("app=web")};
  model::Meta child;
  child.ns = "shop";
  child.labels = {{"app", "web"}};

  EXPECT_EQ(claim_of(claimant, child), Claim::Adopt);
  child.deletion_timestamp = "2026-01-01T00:00:00Z";
  EXPECT_EQ(claim_of(claimant, child), Claim::Foreign);
  child.deletion_timestamp = "";
  child.owners = {{"apps/v1", "ReplicaSet", "other", "other", true, true}};
  EXPECT_EQ(claim_of(claimant, child), Claim::Foreign);
  child.owners[0].uid = "me";
  EXPECT_EQ(claim_of(claimant, child), Claim::Ours);
  child.labels = {{"app", "db"}};
  EXPECT_EQ(claim_of(claimant, child), Claim::Release);
  claimant.deleting = true;
  EXPECT_EQ(claim_of(claimant, child), Claim::Foreign);
  child.owners.clear();
  child.labels = {{"app", "web"}};
  EXPECT_EQ(claim_of(claimant, child), Claim::Foreign);
}

TEST(Template, HashesOfTheSameValueAreEqualWhateverTheOrderOfMembers) {
  const model::Value a =
      model::parse_json(R"({"b":{"y":1,"x":[{"d":2,"c":"q"}]},"a":null})")->value;
  const model::Value b =
      model::parse_json(R"({"a":null,"b":{"x":[{"c":"q","d":2}],"y":1}})")->value;

  EXPECT_EQ(canonical_json(a), R"({"a":null,"b":{"x":[{"c":"q","d":2}],"y":1}})");
  EXPECT_EQ(canonical_json(a), canonical_json(b));
}

}  // namespace
}  // namespace holdfast::workloads
