/// PodSecurity as a plugin: what is refused, what is only warned of, and what labels may say. Its
/// checks are held to a real server's answers in checks_test.cpp.
#include "admission/server_for_tests.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kRed = "/api/v1/namespaces/red";
constexpr std::string_view kOnHost =
    "{metadata: {name: p}, spec: {hostPID: true, containers: [{name: c, image: app}]}}";

class PodSecurity : public AdmissionServer {
 protected:
  Told label(std::string_view labels) {
    return merge(kAdmin, kRed, fmt::format("{{metadata: {{labels: {{{}}}}}}}", labels));
  }
};

TEST_F(PodSecurity, RefusesWhatIsEnforcedWhoeverAsks) {
  ASSERT_EQ(label("pod-security.kubernetes.io/enforce: baseline").code, 200);
  const Told refused = create(kAdmin, kRedPods, kOnHost);
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.message,
            "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces "
            "(hostPID=true)");
  EXPECT_EQ(refused.warnings, Lines{});
  EXPECT_EQ(create(kTenant, kRedPods,
                   "{metadata: {name: p}, spec: {containers: [{name: c, image: app}]}}")
                .code,
            201);
}

TEST_F(PodSecurity, WarnsOfTemplatesAndRefusesNone) {
  ASSERT_EQ(label("pod-security.kubernetes.io/enforce: baseline, "
                  "pod-security.kubernetes.io/enforce-version: v1.30")
                .code,
            200);
  const Told made = create(
      kAdmin, kRedDeployments,
      "{metadata: {name: d}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: "
      "{a: b}}, spec: {hostPID: true, containers: [{name: c, image: app}]}}}}");
  EXPECT_EQ(made.code, 201) << made.message;
  EXPECT_EQ(
      made.warnings,
      Lines{
          R"t(299 - "would violate PodSecurity \"baseline:v1.30\": host namespaces (hostPID=true)")t"});
}

TEST_F(PodSecurity, WarnsOfPodsByALevelOfItsOwn) {
  ASSERT_EQ(label("pod-security.kubernetes.io/warn: restricted, "
                  "pod-security.kubernetes.io/warn-version: v1.7")
                .code,
            200);
  const Told made = create(kTenant, kRedPods,
                           "{metadata: {name: p}, spec: {containers: [{name: c, image: app}]}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(
      made.warnings,
      Lines{
          R"t(299 - "would violate PodSecurity \"restricted:v1.7\": runAsNonRoot != true (pod or )t"
          R"t(container \"c\" must set securityContext.runAsNonRoot=true)")t"});
}

TEST_F(PodSecurity, ChangesOfImagesAreJudgedAndOthersAreNot) {
  ASSERT_EQ(create(kAdmin, kRedPods, kOnHost).code, 201);
  ASSERT_EQ(label("pod-security.kubernetes.io/enforce: baseline").code, 200);
  const std::string target = fmt::format("{}/p", kRedPods);
  EXPECT_EQ(merge(kAdmin, target, "{metadata: {labels: {x: z}}}").code, 200);
  EXPECT_EQ(ask(kAdmin, "PATCH", target, "{spec: {containers: [{name: c, image: other}]}}",
                "application/strategic-merge-patch+json")
                .code,
            403);
  EXPECT_EQ(merge(kAdmin, target + "/status", "{status: {message: x}}").code, 200);
}

TEST_F(PodSecurity, LabelsThatDoNotParseAreRefused) {
  const Told refused = label(
      "pod-security.kubernetes.io/enforce: strict, "
      "pod-security.kubernetes.io/warn-version: v1.01");
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.message,
            "Namespace \"red\" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: "
            "Invalid value: \"strict\": must be one of privileged, baseline, restricted, "
            "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"v1.01\": "
            "must be "
            "\"latest\" or \"v1.x\"]");
  EXPECT_EQ(make_namespace("blue", "pod-security.kubernetes.io/audit: all").code, 422);
}

TEST_F(PodSecurity, ANewLabelTellsOfThePodsThatAreThere) {
  const auto make = [&](const std::string& name, const std::string& more) {
    const Told made = create(
        kAdmin, kRedPods,
        fmt::format("{{metadata: {{name: {}}}, spec: {{{}containers: [{{name: c, image: app}}]}}}}",
                    name, more));
    ASSERT_EQ(made.code, 201) << made.message;
  };
  make("b", "hostPID: true, ");
  make("a", "hostIPC: true, ");
  make("c", "hostNetwork: true, ");
  make("d", "volumes: [{name: v, hostPath: {path: /}}], ");
  make("e", "");
  EXPECT_EQ(
      label("pod-security.kubernetes.io/enforce: baseline").warnings,
      (Lines{
          R"t(299 - "existing pods in namespace \"red\" violate the new PodSecurity enforce level )t"
          R"t(\"baseline:latest\"")t",
          R"t(299 - "a (and 2 other pods): host namespaces")t",
          R"t(299 - "d: hostPath volumes")t"}));
  EXPECT_EQ(label("pod-security.kubernetes.io/enforce: privileged").warnings, Lines{});
}

}  // namespace
}  // namespace holdfast::apiserver
