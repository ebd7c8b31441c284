#include "admission/server_for_tests.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

using Lines = std::vector<std::string>;
using NotEnforced = AdmissionServer;

TEST_F(NotEnforced, AuditIsKeptAndSaid) {
  const Told told = merge(kAdmin, "/api/v1/namespaces/red",
                          "{metadata: {labels: {pod-security.kubernetes.io/audit: restricted}}}");
  EXPECT_EQ(told.code, 200);
  EXPECT_EQ(told.warnings, Lines{"299 - \"label pod-security.kubernetes.io/audit is kept, but not "
                                 "enforced by this server, which has no audit log\""});
}

TEST_F(NotEnforced, PoliciesAreKeptAndSaid) {
  const auto said = [&](std::string_view target, std::string_view yaml) {
    const Told told = create(kAdmin, target, yaml);
    EXPECT_EQ(told.code, 201) << told.message;
    return told.warnings;
  };
  const auto kept = [](std::string_view kind) {
    return Lines{fmt::format("299 - \"{} is kept, but not enforced by this server\"", kind)};
  };
  EXPECT_EQ(said("/api/v1/namespaces/red/resourcequotas",
                 "{metadata: {name: q}, spec: {hard: {pods: '0'}}}"),
            kept("ResourceQuota"));
  EXPECT_EQ(said("/api/v1/namespaces/red/limitranges",
                 "{metadata: {name: l}, spec: {limits: [{type: Pod, max: {cpu: '1'}}]}}"),
            kept("LimitRange"));
  EXPECT_EQ(said("/apis/networking.k8s.io/v1/namespaces/red/networkpolicies",
                 "{metadata: {name: net}, spec: {podSelector: {}}}"),
            kept("NetworkPolicy"));
  const std::string_view hooks = "/apis/admissionregistration.k8s.io/v1";
  EXPECT_EQ(said(fmt::format("{}/validatingwebhookconfigurations", hooks), "{metadata: {name: v}}"),
            kept("ValidatingWebhookConfiguration"));
  EXPECT_EQ(said(fmt::format("{}/mutatingwebhookconfigurations", hooks), "{metadata: {name: m}}"),
            kept("MutatingWebhookConfiguration"));
  EXPECT_EQ(
      said(fmt::format("{}/validatingadmissionpolicies", hooks),
           "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], "
           "apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, validations: "
           "[{expression: 'false'}]}}"),
      kept("ValidatingAdmissionPolicy"));
  EXPECT_EQ(said(fmt::format("{}/validatingadmissionpolicybindings", hooks),
                 "{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}"),
            kept("ValidatingAdmissionPolicyBinding"));
}

}  // namespace
}  // namespace holdfast::apiserver
