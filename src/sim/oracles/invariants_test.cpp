#include "oracles/invariants.h"

#include "oracles/goals.h"
#include "world/world.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::Value;

// Breaks each invariant by hand, as no controller should.
struct InvariantsTest : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
  }
  Value send(std::string method, std::string target, const Value& body,
             std::string_view type = "application/json") {
    auto answer =
        world->server->ask(administrator("test"), std::move(method), std::move(target), body, type);
    EXPECT_TRUE(answer) << answer.error().what();
    world->history->catch_up();
    return answer ? std::move(*answer) : Value();
  }
  Value create(const kube::Resource& resource, std::string_view yaml) {
    const auto parsed = model::parse_yaml(yaml);
    EXPECT_TRUE(parsed) << parsed.error().what();
    return send("POST", resource.path(kNamespace, ""), parsed->value);
  }
  Value create_pod(const std::string& name, const kube::Resource& kind, const Value& owner) {
    return send(
        "POST", kube::kPods.path(kNamespace, ""),
        Object{
            {"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata",
             Object{{"name", name},
                    {"ownerReferences",
                     Array{Object{{"apiVersion", kind.api_version()},
                                  {"kind", kind.kind},
                                  {"name", model::string_at(owner, {"metadata", "name"})},
                                  {"uid", model::string_at(owner, {"metadata", "uid"})},
                                  {"controller", true}}}}}},
            {"spec", Object{{"containers", Array{Object{{"name", "main"}, {"image", "web:1"}}}}}}});
  }
  void set_status(const kube::Resource& resource, const std::string& name, Value status) {
    send("PATCH", resource.path(kNamespace, name, "status"), Object{{"status", std::move(status)}},
         "application/merge-patch+json");
  }
  std::string breach(std::string_view invariant) const {
    return broken(invariant, *world->history, world->history->commits().size() - 1).value_or("");
  }
  std::unique_ptr<World> world;
};

constexpr std::string_view kSet = R"(
  spec:
    replicas: 2
    serviceName: db
    selector: {matchLabels: {app: db}}
    template: {metadata: {labels: {app: db}}, spec: {containers: [{name: main, image: "db:1"}]}}
  metadata: {name: db}
  apiVersion: apps/v1
  kind: )";

TEST_F(InvariantsTest, NoExtraPods) {
  const Value set = create(kube::kStatefulSets, std::string(kSet) + "StatefulSet");
  create_pod("db-0", kube::kStatefulSets, set);
  create_pod("db-1", kube::kStatefulSets, set);
  EXPECT_EQ(breach("no-extra-pods"), "");

  create_pod("db-2", kube::kStatefulSets, set);

  EXPECT_NE(breach("no-extra-pods"), "");
}

TEST_F(InvariantsTest, OrderedPodsWaitForTheirPredecessors) {
  const Value set = create(kube::kStatefulSets, std::string(kSet) + "StatefulSet");
  create_pod("db-0", kube::kStatefulSets, set);
  EXPECT_EQ(breach("ordered"), "");

  create_pod("db-1", kube::kStatefulSets, set);

  EXPECT_NE(breach("ordered"), "");
}

TEST_F(InvariantsTest, ClaimsAreKept) {
  create(kube::kClaims, R"(
    {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data},
     spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}})");
  EXPECT_EQ(breach("claims-kept"), "");

  send("DELETE", kube::kClaims.path(kNamespace, "data"), nullptr);

  EXPECT_NE(breach("claims-kept"), "");
}

TEST_F(InvariantsTest, JobsKeepTheirLimits) {
  const Value job = create(kube::kJobs, R"(
    apiVersion: batch/v1
    kind: Job
    metadata: {name: load}
    spec:
      completions: 1
      backoffLimit: 0
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: "load:1"}]}})");
  create_pod("load-1", kube::kJobs, job);
  EXPECT_EQ(breach("job-limits"), "");

  create_pod("load-2", kube::kJobs, job);
  EXPECT_NE(breach("job-limits"), "") << "two at once";

  set_status(kube::kPods, "load-1", Object{{"phase", "Succeeded"}});
  EXPECT_EQ(breach("job-limits"), "");
  set_status(kube::kPods, "load-2", Object{{"phase", "Succeeded"}});
  EXPECT_NE(breach("job-limits"), "") << "one success too many";
}

TEST_F(InvariantsTest, StatusCountsDoNotContradictEachOther) {
  create(kube::kStatefulSets, std::string(kSet) + "StatefulSet");
  set_status(kube::kStatefulSets, "db", Object{{"replicas", 2}, {"readyReplicas", 2}});
  EXPECT_EQ(breach("status-true"), "");

  set_status(kube::kStatefulSets, "db", Object{{"replicas", 2}, {"observedGeneration", 9}});

  EXPECT_NE(breach("status-true"), "");
}

TEST_F(InvariantsTest, DeploymentsKeepTheirSurge) {
  const Value deployment = create(kube::kDeployments, R"(
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      replicas: 2
      strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
      selector: {matchLabels: {app: db}}
      template: {metadata: {labels: {app: db}}, spec: {containers: [{name: main, image: "web:1"}]}})");
  const auto add_set = [&](const std::string& name, int64_t replicas) {
    Value set = model::parse_yaml(std::string(kSet) + "ReplicaSet")->value;
    model::erase(set, {"spec", "serviceName"});
    set.as_object()["spec"].as_object()["replicas"] = replicas;
    set.as_object()["metadata"] = Object{
        {"name", name},
        {"ownerReferences", Array{Object{{"apiVersion", "apps/v1"},
                                         {"kind", "Deployment"},
                                         {"name", "web"},
                                         {"uid", model::string_at(deployment, {"metadata", "uid"})},
                                         {"controller", true}}}}};
    send("POST", kube::kReplicaSets.path(kNamespace, ""), set);
  };
  add_set("web-1", 2);
  add_set("web-2", 1);
  EXPECT_EQ(breach("surge-kept"), "");

  add_set("web-3", 1);

  EXPECT_NE(breach("surge-kept"), "");
}

}  // namespace
}  // namespace holdfast::sim
