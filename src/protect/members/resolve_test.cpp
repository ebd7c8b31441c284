// Members of an application as a run finds them, also when its caches are behind the server.
#include <holdfast/protect/cut/members.h>

#include "pass_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using model::Array;
using model::Object;
using model::Value;

class NoExec final : public PodExec {
 public:
  kube::Reply<std::unique_ptr<kube::ExecSession>> open_bare(const ExecTarget&,
                                                            const std::vector<std::string>&,
                                                            std::chrono::milliseconds) override {
    return kube::Failure{Error(Fault::Invalid, "resolving runs no commands")};
  }

 private:
  std::string nonce() override { return ""; }
};

Object meta(const std::string& name, const std::string& owner = "") {
  Object out{{"namespace", "shop"},
             {"name", name},
             {"uid", name + "-uid"},
             {"resourceVersion", "7"},
             {"labels", Object{{"app", "db"}}}};
  if (!owner.empty())
    out["ownerReferences"] = Array{Object{{"apiVersion", "apps/v1"},
                                          {"kind", "StatefulSet"},
                                          {"name", owner},
                                          {"uid", owner + "-uid"},
                                          {"controller", true}}};
  return out;
}

Value pod(const std::string& name, const std::string& claim, const std::string& owner,
          const char* phase = "Running") {
  return Object{
      {"metadata", meta(name, owner)},
      {"spec",
       Object{{"containers", Array{Object{{"name", "db"}}}},
              {"volumes", Array{Object{{"name", "v"},
                                       {"persistentVolumeClaim", Object{{"claimName", claim}}}}}}}},
      {"status", Object{{"phase", phase}}}};
}

class MembersOf : public testing::Test {
 protected:
  MembersOf() {
    pass_.server().hold(kube::kVolumeSnapshotClasses,
                        Object{{"metadata", Object{{"name", "fast"}}}, {"driver", "csi.example"}});
    pass_.server().hold(kube::kStatefulSets, Object{{"metadata", meta("db")}});
    pass_.server().hold(kube::kPods, pod("db-0", "data-0", "db"));
    add_claim("data-0");
  }
  void add_claim(const std::string& name) {
    pass_.server().hold(kube::kClaims, Object{{"metadata", meta(name)},
                                              {"spec", Object{{"volumeName", "pv-" + name}}},
                                              {"status", Object{{"phase", "Bound"}}}});
    pass_.server().hold(kube::kVolumes,
                        Object{{"metadata", Object{{"name", "pv-" + name}}},
                               {"spec", Object{{"csi", Object{{"driver", "csi.example"}}}}}});
  }
  ResolvedCut resolve(const Members& members, const std::vector<std::string>& only = {}) {
    const Outside outside{.client = pass_.client(),
                          .exec = exec_,
                          .ask_bucket = {},
                          .clock = pass_.clock(),
                          .sleep = {},
                          .metrics = metrics_,
                          .held = held_,
                          .group_kinds = group_kinds_,
                          .random = random_};
    const Quiescing how;
    return resolve_cut(pass_, outside, {.members = members, .how = how, .only = only}, "shop",
                       false)
        .take();
  }
  static std::string refusal(const ResolvedCut& cut) {
    return cut.refusal ? cut.refusal->reason : "";
  }
  static std::vector<std::string> claims(const ResolvedCut& cut) {
    std::vector<std::string> out;
    for (const ClaimRecord& each : cut.inputs.claims) out.push_back(each.name);
    return out;
  }

  PassOverServer pass_{WallTime(std::chrono::hours(24 * 365))};
  NoExec exec_{};
  control::Metrics metrics_{};
  HeldPods held_{};
  SeededRandom random_{1};
  kube::ServedGroupKinds group_kinds_{pass_.client()};
};

using Names = std::vector<std::string>;
const Members kSet{.kind = MemberKind::StatefulSet, .names = {"db"}};

// Nothing of it is in the caches yet: whoever makes a workload and its backup in one go.
TEST_F(MembersOf, AreThereAlsoBeforeTheCachesKnowThem) {
  const ResolvedCut cut = resolve(kSet);

  EXPECT_EQ(refusal(cut), "");
  EXPECT_EQ(claims(cut), Names{"data-0"});
}

// The cache has one pod of two: what is not seen would not be cut, and nobody would be told.
TEST_F(MembersOf, ThatCameAMomentAgoAreCutToo) {
  pass_.show(kube::kStatefulSets, Object{{"metadata", meta("db")}});
  pass_.show(kube::kPods, pod("db-0", "data-0", "db"));
  pass_.server().hold(kube::kPods, pod("db-1", "data-1", "db"));
  add_claim("data-1");

  EXPECT_EQ(claims(resolve(kSet)), (Names{"data-0", "data-1"}));
}

TEST_F(MembersOf, ThatAreGoneAreRefusedByName) {
  pass_.show(kube::kStatefulSets, Object{{"metadata", meta("db")}});
  pass_.server().drop(kube::kStatefulSets, "shop", "db");

  const ResolvedCut cut = resolve(kSet);

  ASSERT_EQ(refusal(cut), "MemberNotFound");
  EXPECT_EQ(cut.refusal->message, "StatefulSet shop/db is not there");
}

TEST_F(MembersOf, PodsThatAreOverDoNotCount) {
  pass_.server().hold(kube::kPods, pod("db-0", "data-0", "db", "Failed"));
  EXPECT_EQ(refusal(resolve(kSet)), "NoPods");
}

TEST_F(MembersOf, PodsOfADeploymentBelongToItsReplicaSets) {
  pass_.server().hold(kube::kDeployments, Object{{"metadata", meta("web")}});
  pass_.server().hold(kube::kReplicaSets, Object{{"metadata", meta("web-1", "web")}});
  pass_.server().hold(kube::kReplicaSets, Object{{"metadata", meta("other-1", "other")}});
  pass_.server().hold(kube::kPods, pod("web-1-a", "html", "web-1"));
  pass_.server().hold(kube::kPods, pod("other-1-a", "secret", "other-1"));
  add_claim("html");

  EXPECT_EQ(claims(resolve({.kind = MemberKind::Deployment, .names = {"web"}})), Names{"html"});
}

TEST_F(MembersOf, ANamespaceHasClaimsThatNoPodMounts) {
  add_claim("idle");
  EXPECT_EQ(claims(resolve({.kind = MemberKind::Namespace})), (Names{"data-0", "idle"}));
}

TEST_F(MembersOf, ASelectorTakesThoseWithItsLabels) {
  const Value labels = Object{{"matchLabels", Object{{"app", "db"}}}};
  EXPECT_EQ(claims(resolve({.kind = MemberKind::Pod, .selector = labels})), Names{"data-0"});

  const Value others = Object{{"matchLabels", Object{{"app", "web"}}}};
  EXPECT_EQ(refusal(resolve({.kind = MemberKind::Pod, .selector = others})), "NoPods");
}

TEST_F(MembersOf, AClaimOfAnotherApplicationIsNotCutWithThem) {
  add_claim("idle");
  EXPECT_EQ(refusal(resolve(kSet, {"idle"})), "MemberNotFound");
}

// Whatever is named, workloads and pods are asked for once each.
TEST_F(MembersOf, AreAskedForOnceForEachKind) {
  for (int i = 1; i < 8; ++i)
    pass_.server().hold(kube::kPods, pod("db-" + std::to_string(i), "data-0", "db"));
  resolve(kSet);

  const std::vector<std::string>& asked = pass_.server().asked();
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "GET /api/v1/namespaces/shop/pods"), 1);
  EXPECT_EQ(
      std::count(asked.begin(), asked.end(), "GET /apis/apps/v1/namespaces/shop/statefulsets"), 1);
}

}  // namespace
}  // namespace holdfast::protect
