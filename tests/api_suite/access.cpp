/// Access control: RBAC, escalation, impersonation and the reviews.
#include "suite.h"

namespace holdfast::suite {
namespace {

class Access : public Case {
 protected:
  void TearDown() override {
    del("/apis/rbac.authorization.k8s.io/v1/clusterroles/$NS");
    del("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/$NS");
    Case::TearDown();
  }
  /// Lets `user` do what `rules` (flow YAML) say in the case's namespace.
  void allow(const std::string& user, const std::string& rules) {
    const Reply role = post("/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/roles",
                            "{metadata: {name: " + user + "}, rules: [" + rules + "]}");
    ASSERT_EQ(role.code, 201) << role.body;
    const Reply binding = post(
        "/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/rolebindings",
        "{metadata: {name: " + user + "}, subjects: [{kind: User, name: " + user +
            "}], roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: " + user + "}}");
    ASSERT_EQ(binding.code, 201) << binding.body;
  }
  Reply until(int code, const std::string& user, const std::string& method,
              const std::string& target, const std::string& yaml = "") {
    Reply last;
    await("/version", [&](const Reply&) {
      last = as(user, method, target, yaml);
      return last.code == code;
    });
    return last;
  }
};

constexpr const char* kReadMaps = "{apiGroups: [''], resources: [configmaps], verbs: [get, list]}";
constexpr const char* kSelfAccess = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
constexpr const char* kAccess = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

TEST_F(Access, NobodyIsForbidden) {
  const Reply refused = as("-", "GET", "$CM");
  EXPECT_EQ(
      refused.failure(),
      "403 Forbidden: configmaps is forbidden: User \"system:anonymous\" cannot list resource "
      "\"configmaps\" in API group \"\" in the namespace \"$NS\"");
  EXPECT_EQ(refused.at("details"), R"({"kind":"configmaps"})");
}

TEST_F(Access, NobodyMaySeeTheVersion) {
  EXPECT_EQ(as("-", "GET", "/version").code, 200);
  EXPECT_EQ(as("-", "GET", "/healthz").body, "ok");
  EXPECT_EQ(as("-", "GET", "/api").failure(),
            "403 Forbidden: forbidden: User \"system:anonymous\" cannot get path \"/api\"");
}

TEST_F(Access, WrongTokensAreUnauthorized) {
  const Reply refused = as("not-a-token", "GET", "$CM");
  EXPECT_EQ(refused.failure(), "401 Unauthorized: Unauthorized");
}

TEST_F(Access, UsersWithoutRoles) {
  EXPECT_EQ(as("bob", "GET", "$CM/a").failure(),
            "403 Forbidden: configmaps \"a\" is forbidden: User \"bob\" cannot get resource "
            "\"configmaps\" in API group \"\" in the namespace \"$NS\"");
  EXPECT_EQ(as("bob", "GET", "/api/v1/nodes").failure(),
            "403 Forbidden: nodes is forbidden: User \"bob\" cannot list resource \"nodes\" in API "
            "group \"\" at the cluster scope");
  EXPECT_EQ(as("bob", "GET", "/apis").code, 200);
}

TEST_F(Access, MastersMayAll) { EXPECT_EQ(as("carol", "GET", "/api/v1/nodes").code, 200); }

TEST_F(Access, RolesAllowInTheirNamespace) {
  allow("bob", kReadMaps);
  EXPECT_EQ(until(200, "bob", "GET", "$CM").code, 200);
  EXPECT_EQ(as("bob", "GET", "/api/v1/namespaces/default/configmaps").code, 403);
  EXPECT_EQ(as("bob", "DELETE", "$CM/a").code, 403);
  EXPECT_EQ(as("alice", "GET", "$CM").code, 403);
}

TEST_F(Access, RolesMayNameObjects) {
  allow("bob", "{apiGroups: [''], resources: [configmaps], resourceNames: [one], verbs: [get]}");
  make_map("one");
  make_map("two");
  EXPECT_EQ(until(200, "bob", "GET", "$CM/one").code, 200);
  EXPECT_EQ(as("bob", "GET", "$CM/two").code, 403);
  EXPECT_EQ(as("bob", "GET", "$CM").code, 403);
}

TEST_F(Access, GroupsAreBound) {
  post("/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/rolebindings",
       "{metadata: {name: b}, subjects: [{kind: Group, name: builders}], roleRef: {apiGroup: "
       "rbac.authorization.k8s.io, kind: ClusterRole, name: view}}");
  EXPECT_EQ(until(200, "alice", "GET", "$CM").code, 200);
  EXPECT_EQ(as("bob", "GET", "$CM").code, 403);
  EXPECT_EQ(as("alice", "GET", "/api/v1/namespaces/$NS/secrets").code, 403);
}

TEST_F(Access, RolesCannotEscalate) {
  allow("bob",
        "{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [create]}, "
        "{apiGroups: [''], resources: [configmaps], verbs: [get]}");
  until(
      201, "bob", "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/roles",
      "{metadata: {name: ok}, rules: [{apiGroups: [''], resources: [configmaps], verbs: [get]}]}");
  const Reply refused = as(
      "bob", "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/roles",
      "{metadata: {name: more}, rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]}");
  EXPECT_EQ(
      refused.failure(),
      "403 Forbidden: roles.rbac.authorization.k8s.io \"more\" is forbidden: user \"bob\" "
      "(groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently "
      "held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}");
}

TEST_F(Access, BindingsCannotEscalate) {
  allow("bob",
        "{apiGroups: [rbac.authorization.k8s.io], resources: [rolebindings], verbs: "
        "[create, list]}");
  const std::string target = "/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/rolebindings";
  until(200, "bob", "GET", target);
  const std::string head =
      "{metadata: {name: more}, subjects: [{kind: User, name: bob}], roleRef: "
      "{apiGroup: rbac.authorization.k8s.io, kind: ";
  const Reply refused = as("bob", "POST", target, head + "Role, name: wide}}");
  EXPECT_EQ(refused.failure(),
            "404 NotFound: rolebindings.rbac.authorization.k8s.io \"wide\" not found");
  post("/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/roles",
       "{metadata: {name: wide}, rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]}");
  const Reply wide = until(403, "bob", "POST", target, head + "Role, name: wide}}");
  EXPECT_EQ(wide.failure(),
            "403 Forbidden: rolebindings.rbac.authorization.k8s.io \"more\" is forbidden: user "
            "\"bob\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions "
            "not currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}");
}

TEST_F(Access, RoleRefIsImmutable) {
  allow("bob", kReadMaps);
  EXPECT_EQ(merge("/apis/rbac.authorization.k8s.io/v1/namespaces/$NS/rolebindings/bob",
                  "{roleRef: {name: other}}")
                .code,
            422);
}

TEST_F(Access, ClusterRolesAggregate) {
  const std::string target = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const Reply made = post(target,
                          "{metadata: {name: $NS}, aggregationRule: {clusterRoleSelectors: "
                          "[{matchLabels: {into: $NS}}]}}");
  EXPECT_EQ(made.code, 201) << made.body;
  post(target,
       "{metadata: {name: $NS-part, labels: {into: $NS}}, rules: [{apiGroups: [x.example], "
       "resources: [things], verbs: [get]}]}");
  const Reply filled =
      await(target + "/$NS", [](const Reply& role) { return !role.at("rules/0").empty(); });
  EXPECT_EQ(filled.at("rules"),
            R"([{"verbs":["get"],"apiGroups":["x.example"],"resources":["things"]}])");
  del(target + "/$NS-part");
}

TEST_F(Access, AggregationOfNothingKeepsOwnRules) {
  const std::string target = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const auto rule = [](const std::string& resource) {
    return "rules: [{apiGroups: [x.example], resources: [" + resource + "], verbs: [get]}]";
  };
  const auto aggregate = [](const std::string& label) {
    return "aggregationRule: {clusterRoleSelectors: [{matchLabels: {" + label + ": $NS}}]}";
  };
  post(target, "{metadata: {name: $NS}, " + aggregate("into") + ", " + rule("own") + "}");
  post(target, "{metadata: {name: $NS-part, labels: {other: $NS}}, " + rule("things") + "}");
  // When the second role is filled, the first has been looked at.
  post(target, "{metadata: {name: $NS-filled}, " + aggregate("other") + "}");
  await(target + "/$NS-filled", [](const Reply& role) { return !role.at("rules/0").empty(); });
  EXPECT_EQ(get(target + "/$NS").at("rules/0/resources"), R"(["own"])");

  merge(target + "/$NS-part", "{metadata: {labels: {into: $NS}}}");
  const Reply taken = await(target + "/$NS", [](const Reply& role) {
    return role.at("rules/0/resources") != R"(["own"])";
  });
  EXPECT_EQ(taken.at("rules"),
            R"([{"verbs":["get"],"apiGroups":["x.example"],"resources":["things"]}])");
  EXPECT_EQ(taken.at("metadata/managedFields/0/manager"), "clusterrole-aggregation-controller");
  EXPECT_EQ(taken.at("metadata/managedFields/0/operation"), "Apply");

  del(target + "/$NS-part");
  const Reply emptied =
      await(target + "/$NS", [](const Reply& role) { return role.at("rules/0").empty(); });
  EXPECT_EQ(emptied.at("rules"), "null");
  del(target + "/$NS-filled");
}

TEST_F(Access, ImpersonationNeedsTheRight) {
  EXPECT_EQ(send({.method = "GET",
                  .target = "$CM",
                  .user = "bob",
                  .headers = {{"Impersonate-User", "carol"}}})
                .failure(),
            "403 Forbidden: users \"carol\" is forbidden: User \"bob\" cannot impersonate resource "
            "\"users\" in API group \"\" at the cluster scope");
}

TEST_F(Access, ImpersonationActsAsTheOther) {
  EXPECT_EQ(
      send({.method = "GET", .target = "$CM", .headers = {{"Impersonate-User", "dora"}}}).failure(),
      "403 Forbidden: configmaps is forbidden: User \"dora\" cannot list resource \"configmaps\" "
      "in "
      "API group \"\" in the namespace \"$NS\"");
  EXPECT_EQ(send({.method = "GET", .target = "$CM", .headers = {{"Impersonate-Group", "x"}}}).code,
            500);
  EXPECT_EQ(
      send({.method = "GET",
            .target = "$CM",
            .headers = {{"Impersonate-User", "dora"}, {"Impersonate-Group", "system:masters"}}})
          .code,
      200);
}

TEST_F(Access, SelfReviewSaysWhoAsks) {
  const Reply who = as("alice", "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
  EXPECT_EQ(who.code, 201);
  EXPECT_EQ(who.at("kind"), "SelfSubjectReview");
  EXPECT_EQ(who.at("status/userInfo/username"), "alice");
  EXPECT_EQ(who.at("status/userInfo/uid"), "alice-uid");
  EXPECT_EQ(who.at("status/userInfo/groups"), R"(["builders","testers","system:authenticated"])");
}

TEST_F(Access, SelfAccessReview) {
  allow("bob", kReadMaps);
  const std::string asked =
      "{spec: {resourceAttributes: {namespace: $NS, verb: list, resource: configmaps}}}";
  until(200, "bob", "GET", "$CM");
  const Reply yes = as("bob", "POST", kSelfAccess, asked);
  EXPECT_EQ(yes.code, 201);
  EXPECT_EQ(yes.at("status/allowed"), "true");
  EXPECT_EQ(yes.at("status/reason"),
            "RBAC: allowed by RoleBinding \"bob/$NS\" of Role \"bob\" to User \"bob\"");
  EXPECT_EQ(as("alice", "POST", kSelfAccess, asked).at("status"), R"({"allowed":false})");
}

TEST_F(Access, AccessReviewOfAnother) {
  allow("bob", kReadMaps);
  until(200, "bob", "GET", "$CM");
  EXPECT_EQ(post(kAccess,
                 "{spec: {user: bob, resourceAttributes: {namespace: $NS, verb: get, resource: "
                 "configmaps}}}")
                .at("status/allowed"),
            "true");
  EXPECT_EQ(post(kAccess,
                 "{spec: {user: x, groups: ['system:masters'], nonResourceAttributes: {path: /x, "
                 "verb: get}}}")
                .at("status/allowed"),
            "true");
  EXPECT_EQ(post(kAccess, "{spec: {user: bob}}").code, 422);
  EXPECT_EQ(
      as("bob", "POST", kAccess, "{spec: {user: bob, nonResourceAttributes: {path: /, verb: get}}}")
          .code,
      403);
}

TEST_F(Access, RulesReviewListsTheRules) {
  allow("bob", kReadMaps);
  until(200, "bob", "GET", "$CM");
  const Reply rules = as("bob", "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                         "{spec: {namespace: $NS}}");
  EXPECT_EQ(rules.code, 201);
  EXPECT_NE(rules.at("status/resourceRules")
                .find(R"({"verbs":["get","list"],"apiGroups":[""],"resources":["configmaps"]})"),
            std::string::npos)
      << rules.body;
  EXPECT_EQ(rules.at("status/incomplete"), "false");
}

}  // namespace
}  // namespace holdfast::suite
