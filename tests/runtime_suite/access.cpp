// Impersonation and the access reviews.
#include <holdfast/kube/access.h>

#include "suite.h"

#include <algorithm>

namespace holdfast::runtime {
namespace {

using kube::kConfigMaps;
using kube::Reply;

using Access = Case;

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST_F(Access, ImpersonatedUserReachesOnlyWhatIsGranted) {
  ASSERT_TRUE(make_map("a"));
  grant("[{apiGroups: [''], resources: [configmaps], verbs: [get]}]",
        "{kind: Group, apiGroup: rbac.authorization.k8s.io, name: devs}");
  kube::Client dev = client_.as("alice", {"devs"});
  kube::Client stranger = client_.as("mallory", {});

  EXPECT_TRUE(await([&] { return bool(dev.get(kConfigMaps, ns_, "a")); }));
  const Reply<Value> denied = dev.remove(kConfigMaps, ns_, "a");
  ASSERT_FALSE(denied);
  EXPECT_EQ(outcome(denied), "403 Forbidden");
  EXPECT_EQ(denied.error().error.fault(), Fault::Denied);
  EXPECT_NE(denied.error().error.what().find("alice"), std::string::npos);
  EXPECT_EQ(outcome(stranger.get(kConfigMaps, ns_, "a")), "403 Forbidden");
}

TEST_F(Access, WhoAmISeesThroughImpersonation) {
  const Reply<kube::Who> admin = kube::who_am_i(client_);
  ASSERT_TRUE(admin) << admin.error().error.what();
  EXPECT_TRUE(contains(admin->groups, "system:masters"));

  kube::Client alice = client_.as("alice", {"devs", "ops"});
  const Reply<kube::Who> who = kube::who_am_i(alice);

  ASSERT_TRUE(who) << who.error().error.what();
  EXPECT_EQ(who->user, "alice");
  EXPECT_TRUE(contains(who->groups, "devs"));
  EXPECT_TRUE(contains(who->groups, "ops"));
  EXPECT_FALSE(contains(who->groups, "system:masters"));
}

TEST_F(Access, ReviewsAgreeWithWhatHappens) {
  grant(
      "[{apiGroups: [apps], resources: [deployments/scale], verbs: [update], "
      "resourceNames: [web]}]",
      "{kind: User, apiGroup: rbac.authorization.k8s.io, name: alice}");
  kube::Client alice = client_.as("alice", {});
  kube::Attributes scale{.verb = "update",
                         .group = "apps",
                         .resource = "deployments",
                         .subresource = "scale",
                         .ns = ns_,
                         .name = "web"};

  EXPECT_TRUE(await([&] {
    const Reply<kube::Access> may = kube::may_i(alice, scale);
    return may && may->allowed;
  }));
  const Reply<kube::Access> asked = kube::may(client_, {.user = "alice"}, scale);
  ASSERT_TRUE(asked) << asked.error().error.what();
  EXPECT_TRUE(asked->allowed);
  EXPECT_NE(asked->reason, "");
  EXPECT_TRUE(kube::may(client_, {.user = "x", .groups = {"system:masters"}}, scale)->allowed);
  scale.name = "other";
  EXPECT_FALSE(kube::may_i(alice, scale)->allowed);
  EXPECT_FALSE(kube::may(client_, {.user = "alice"}, scale)->allowed);
  EXPECT_EQ(outcome(kube::may(alice, {.user = "alice"}, scale)), "403 Forbidden");
}

TEST_F(Access, TokenTellsWhoseItIs) {
  const std::string token = token_of("robot");

  const Reply<kube::Who> who = kube::whose_token(client_, token);
  ASSERT_TRUE(who) << who.error().error.what();
  EXPECT_EQ(who->user, "system:serviceaccount:" + ns_ + ":robot");
  EXPECT_TRUE(contains(who->groups, "system:serviceaccounts:" + ns_));

  const std::string forged = token.substr(0, token.size() - 8) + "AAAAAAAA";
  for (const std::string& bad : {forged, std::string("nonsense-nonsense")}) {
    const Reply<kube::Who> nobody = kube::whose_token(client_, bad);
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().error.fault(), Fault::Denied);
    EXPECT_EQ(nobody.error().error.what().find(bad), std::string::npos);
  }
  EXPECT_FALSE(kube::whose_token(client_, token, {"https://somebody.else"}));
}

}  // namespace
}  // namespace holdfast::runtime
