/// PodSecurity: what the labels of a namespace ask of its pods, what is refused, what is warned of.
#include "suite.h"

#include <fmt/format.h>

namespace holdfast::suite {
namespace {

constexpr const char* kLabel = "pod-security.kubernetes.io/";

class PodSecurity : public Case {
 protected:
  void TearDown() override {
    if (made_) del("/api/v1/namespaces/$NS-safe");
    Case::TearDown();
  }

  /// A second namespace, which has its labels from the start: the real server sees changes of them
  /// only after a while.
  void make_safe(const std::string& labels) {
    const Reply made =
        post("/api/v1/namespaces",
             fmt::format("{{metadata: {{name: $NS-safe, labels: {{{}}}}}}}", labels));
    ASSERT_EQ(made.code, 201) << made.body;
    made_ = true;
    const Reply account = await("/api/v1/namespaces/$NS-safe/serviceaccounts/default",
                                [](const Reply& reply) { return reply.code == 200; });
    ASSERT_EQ(account.code, 200);
  }
  Reply make_pod(const std::string& spec, const std::string& query = "") {
    return post(
        "/api/v1/namespaces/$NS-safe/pods" + query,
        fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{{}}}}}", spec));
  }
  /// Warning headers without code and agent, in lines.
  static std::string warnings(const Reply& reply) {
    std::string out;
    for (const std::string_view each : reply.headers.all("Warning"))
      out += (out.empty() ? "" : "\n") + std::string(each.substr(6));
    return reply.names.unfill(out);
  }

  bool made_ = false;
};

TEST_F(PodSecurity, WhatIsEnforcedIsRefused) {
  make_safe(fmt::format("{}enforce: baseline", kLabel));
  const Reply refused = make_pod(
      "hostNetwork: true, containers: [{name: c, image: i, securityContext: {privileged: true}}]");
  EXPECT_EQ(
      refused.failure(),
      "403 Forbidden: pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host "
      "namespaces (hostNetwork=true), privileged (container \"c\" must not set "
      "securityContext.privileged=true)");
  EXPECT_EQ(refused.at("details"), R"({"name":"p","kind":"pods"})");
  EXPECT_EQ(warnings(refused), "");
  EXPECT_EQ(make_pod("containers: [{name: c, image: i}]").code, 201);
}

TEST_F(PodSecurity, RestrictedAsksForWhatMustBeSaid) {
  make_safe(fmt::format("{}enforce: restricted", kLabel));
  EXPECT_EQ(
      make_pod("containers: [{name: c, image: i}, {name: d, image: i}]").failure(),
      "403 Forbidden: pods \"p\" is forbidden: violates PodSecurity \"restricted:latest\": "
      "allowPrivilegeEscalation != false (containers \"c\", \"d\" must set "
      "securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "
      "\"c\", "
      "\"d\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or "
      "containers \"c\", \"d\" must set securityContext.runAsNonRoot=true), seccompProfile (pod or "
      "containers \"c\", \"d\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" "
      "or "
      "\"Localhost\")");
  EXPECT_EQ(
      make_pod("securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}, "
               "containers: [{name: c, image: i, securityContext: {allowPrivilegeEscalation: "
               "false, capabilities: {drop: [ALL]}}}]")
          .code,
      201);
}

TEST_F(PodSecurity, VersionsAreThoseOfTheirTime) {
  make_safe(fmt::format("{}enforce: restricted, {}enforce-version: v1.7", kLabel, kLabel));
  EXPECT_EQ(make_pod("containers: [{name: c, image: i}]").failure(),
            "403 Forbidden: pods \"p\" is forbidden: violates PodSecurity \"restricted:v1.7\": "
            "runAsNonRoot != true (pod or container \"c\" must set "
            "securityContext.runAsNonRoot=true)");
}

TEST_F(PodSecurity, AProfileInAnOldAnnotationCountsAsTheField) {
  make_safe(fmt::format("{}enforce: baseline", kLabel));
  const Reply refused =
      post("/api/v1/namespaces/$NS-safe/pods",
           "{metadata: {name: p, annotations: "
           "{container.apparmor.security.beta.kubernetes.io/c: unconfined}}, spec: "
           "{containers: [{name: c, image: i}]}}");
  EXPECT_EQ(refused.at("message"),
            "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": forbidden AppArmor "
            "profiles (container \"c\" and annotation must not set AppArmor profile type to "
            "\"Unconfined\", "
            "\"container.apparmor.security.beta.kubernetes.io/c=\"unconfined\"\")");
}

TEST_F(PodSecurity, NamesThatTheServerMakesAreInTheMessage) {
  make_safe(fmt::format("{}enforce: baseline", kLabel));
  const Reply refused = post("/api/v1/namespaces/$NS-safe/pods",
                             "{metadata: {generateName: made-}, spec: {hostPID: true, containers: "
                             "[{name: c, image: i}]}}");
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.at("message").substr(0, 11), "pods \"made-");
  EXPECT_EQ(refused.at("details/name").size(), 10U);
}

TEST_F(PodSecurity, WarningsAskForNothing) {
  make_safe(fmt::format("{}warn: baseline, {}warn-version: v1.20", kLabel, kLabel));
  const Reply made = make_pod("hostIPC: true, containers: [{name: c, image: i}]");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(warnings(made),
            R"t("would violate PodSecurity \"baseline:v1.20\": host namespaces (hostIPC=true)")t");
}

TEST_F(PodSecurity, WhatIsEnforcedIsWarnedOfInTemplates) {
  make_safe(fmt::format("{}enforce: baseline", kLabel));
  const std::string spec = "hostPID: true, containers: [{name: c, image: i}]";
  const std::string in = fmt::format(
      "template: {{metadata: {{labels: {{a: b}}}}, spec: {{restartPolicy: Never, {}}}}}", spec);
  const std::string always =
      fmt::format("template: {{metadata: {{labels: {{a: b}}}}, spec: {{{}}}}}", spec);
  const std::string chosen = "selector: {matchLabels: {a: b}}, " + always;
  const std::pair<std::string, std::string> kinds[] = {
      {"/apis/apps/v1/namespaces/$NS-safe/deployments", "spec: {" + chosen + "}"},
      {"/apis/apps/v1/namespaces/$NS-safe/replicasets", "spec: {replicas: 0, " + chosen + "}"},
      {"/apis/apps/v1/namespaces/$NS-safe/statefulsets", "spec: {serviceName: x, " + chosen + "}"},
      {"/apis/apps/v1/namespaces/$NS-safe/daemonsets", "spec: {" + chosen + "}"},
      {"/apis/batch/v1/namespaces/$NS-safe/jobs", "spec: {" + in + "}"},
      {"/apis/batch/v1/namespaces/$NS-safe/cronjobs",
       "spec: {schedule: '0 0 1 1 *', jobTemplate: {spec: {" + in + "}}}"},
      {"/api/v1/namespaces/$NS-safe/replicationcontrollers",
       "spec: {replicas: 0, selector: {a: b}, " + always + "}"},
      {"/api/v1/namespaces/$NS-safe/podtemplates", always}};
  for (const auto& [target, body] : kinds) {
    const Reply made = post(target + "?dryRun=All", "{metadata: {name: t}, " + body + "}");
    EXPECT_EQ(made.code, 201) << made.body;
    EXPECT_EQ(
        warnings(made),
        R"t("would violate PodSecurity \"baseline:latest\": host namespaces (hostPID=true)")t")
        << target;
  }
}

TEST_F(PodSecurity, AWarnLabelOfItsOwnTakesTheOthersPlace) {
  make_safe(fmt::format("{}enforce: restricted, {}enforce-version: v1.10, {}warn: privileged",
                        kLabel, kLabel, kLabel));
  const Reply made =
      post("/api/v1/namespaces/$NS-safe/podtemplates?dryRun=All",
           "{metadata: {name: t}, template: {spec: {containers: [{name: c, image: i}]}}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(warnings(made), "");
}

TEST_F(PodSecurity, OnlyOtherImagesAreJudgedAgain) {
  make_safe(fmt::format("{}warn: baseline", kLabel));
  ASSERT_EQ(make_pod("hostPID: true, containers: [{name: c, image: i}]").code, 201);
  const std::string pod = "/api/v1/namespaces/$NS-safe/pods/p";
  EXPECT_EQ(warnings(merge(pod, "{metadata: {labels: {x: z}, annotations: {x: z}}}")), "");
  EXPECT_EQ(warnings(merge(pod, "{spec: {activeDeadlineSeconds: 1000}}")), "");
  EXPECT_EQ(warnings(merge(pod + "/status", "{status: {message: x}}")), "");
  EXPECT_EQ(warnings(strategic(pod, "{spec: {containers: [{name: c, image: other}]}}")),
            R"t("would violate PodSecurity \"baseline:latest\": host namespaces (hostPID=true)")t");
}

TEST_F(PodSecurity, LabelsThatDoNotParseAreRefused) {
  const Reply made = post("/api/v1/namespaces",
                          fmt::format("{{metadata: {{name: $NS-bad, labels: {{{}enforce: strict, "
                                      "{}audit-version: '1.2'}}}}}}",
                                      kLabel, kLabel));
  EXPECT_EQ(
      made.failure(),
      "422 Invalid: Namespace \"$NS-bad\" is invalid: "
      "[metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"strict\": must be "
      "one of privileged, baseline, restricted, "
      "metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: \"1.2\": must be "
      "\"latest\" or \"v1.x\"]");
  EXPECT_EQ(made.at("details/kind"), "Namespace");
  for (const char* each : {"warn: Baseline", "enforce-version: v1.05", "warn-version: v2.0",
                           "enforce-version: v1.", "audit: ''"}) {
    const Reply changed = merge("/api/v1/namespaces/$NS",
                                fmt::format("{{metadata: {{labels: {{{}{}}}}}}}", kLabel, each));
    EXPECT_EQ(changed.code, 422) << each;
  }
  EXPECT_EQ(
      merge("/api/v1/namespaces/$NS",
            fmt::format(
                "{{metadata: {{labels: {{{}enforce: privileged, {}enforce-version: v1.99}}}}}}",
                kLabel, kLabel))
          .code,
      200);
}

TEST_F(PodSecurity, ANewLabelTellsOfThePodsThatAreThere) {
  make_safe("");
  const auto make = [this](const std::string& name, const std::string& more) {
    const Reply made =
        post("/api/v1/namespaces/$NS-safe/pods",
             fmt::format("{{metadata: {{name: {}}}, spec: {{{}containers: [{{name: c, "
                         "image: i}}]}}}}",
                         name, more));
    ASSERT_EQ(made.code, 201) << made.body;
  };
  make("b", "hostPID: true, ");
  make("a", "hostIPC: true, ");
  make("c", "hostNetwork: true, ");
  make("d", "volumes: [{name: v, hostPath: {path: /}}], ");
  make("e", "hostNetwork: true, volumes: [{name: v, hostPath: {path: /}}], ");
  make("f", "");
  const std::string label =
      fmt::format("{{metadata: {{labels: {{{}enforce: baseline}}}}}}", kLabel);
  const std::string expected =
      R"t("existing pods in namespace \"$NS-safe\" violate the new PodSecurity enforce level \"baseline:latest\"")t"
      "\n"
      R"t("a (and 2 other pods): host namespaces")t"
      "\n"
      R"t("d: hostPath volumes")t"
      "\n"
      R"t("e: host namespaces, hostPath volumes")t";
  // Its cache of pods may be a moment behind.
  std::string said;
  for (int attempt = 0; attempt < 100 && said != expected; ++attempt)
    said = warnings(merge("/api/v1/namespaces/$NS-safe?dryRun=All", label));
  EXPECT_EQ(said, expected);
  EXPECT_EQ(merge("/api/v1/namespaces/$NS-safe", label).code, 200);
  EXPECT_EQ(warnings(merge("/api/v1/namespaces/$NS-safe", "{metadata: {labels: {x: z}}}")), "");
  EXPECT_EQ(
      warnings(merge("/api/v1/namespaces/$NS-safe",
                     fmt::format("{{metadata: {{labels: {{{}enforce: privileged}}}}}}", kLabel))),
      "");
}

}  // namespace
}  // namespace holdfast::suite
