#include "admission/server_for_tests.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

using HostAccess = AdmissionServer;

constexpr std::string_view kPlain = "containers: [{name: c, image: app}]";

std::string pod(std::string_view spec, std::string_view annotations = "") {
  return fmt::format("{{metadata: {{name: p, annotations: {{{}}}}}, spec: {{{}}}}}", annotations,
                     spec);
}

std::string deployment(std::string_view spec, std::string_view annotations = "") {
  return fmt::format(
      "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d}}, spec: {{selector: "
      "{{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}, annotations: {{{}}}}}, "
      "spec: {{{}}}}}}}}}",
      annotations, spec);
}

struct Row {
  std::string_view spec, said, annotations{};
};
constexpr Row kReaching[] = {
    {"hostPID: true, containers: [{name: c, image: app}]", "hostPID is true"},
    {"hostIPC: true, containers: [{name: c, image: app}]", "hostIPC is true"},
    {"hostUsers: true, containers: [{name: c, image: app}]", "hostUsers is true"},
    {"volumes: [{name: h, hostPath: {path: /var/log, type: Directory}}], containers: [{name: c, "
     "image: app}]",
     R"(volume "h" is hostPath /var/log (Directory))"},
    {"containers: [{name: c, image: app, securityContext: {privileged: true}}]",
     R"(container "c" is privileged)"},
    {"containers: [{name: c, image: app, securityContext: {capabilities: {add: [NET_RAW]}}}]",
     R"(container "c" adds capability NET_RAW)"},
    {"containers: [{name: c, image: app, securityContext: {capabilities: {add: [CAP_MKNOD]}}}]",
     R"(container "c" adds capability CAP_MKNOD)"},
    {"containers: [{name: c, image: app, securityContext: {capabilities: {add: [ALL]}}}]",
     R"(container "c" adds capability ALL)"},
    {"containers: [{name: c, image: app, securityContext: {seccompProfile: {type: Unconfined}}}]",
     R"(container "c" has the seccomp profile Unconfined)"},
    {"securityContext: {seccompProfile: {type: Unconfined}}, containers: [{name: c, image: app}]",
     "the pod has the seccomp profile Unconfined"},
    {"containers: [{name: c, image: app}]",
     "annotation seccomp.security.alpha.kubernetes.io/pod is unconfined",
     "seccomp.security.alpha.kubernetes.io/pod: unconfined"},
    {"containers: [{name: c, image: app}]",
     "annotation container.seccomp.security.alpha.kubernetes.io/c is unconfined",
     "container.seccomp.security.alpha.kubernetes.io/c: unconfined"},
    {"hostUsers: false, containers: [{name: c, image: app, securityContext: {procMount: "
     "Unmasked}}]",
     R"(container "c" has an unmasked /proc)"},
    {"containers: [{name: c, image: host}]", R"(container "c" runs image "host")"},
    {"containers: [{name: c, image: 'host:latest'}]", R"(container "c" runs image "host:latest")"},
    {"containers: [{name: c, image: library/host}]", R"(container "c" runs image "library/host")"},
    {"initContainers: [{name: i, image: host}], containers: [{name: c, image: app}]",
     R"(container "i" runs image "host")"},
};

TEST_F(HostAccess, PodsThatReachForTheMachineAreForItsAdministrators) {
  for (const Row& row : kReaching) {
    const Told refused = create(kTenant, kRedPods, pod(row.spec, row.annotations));
    EXPECT_EQ(refused.code, 403) << row.spec;
    EXPECT_TRUE(
        refused.message.starts_with("pods \"p\" is forbidden: it reaches for the machine itself: "))
        << refused.message;
    EXPECT_NE(refused.message.find(row.said), std::string::npos) << refused.message;
    const Told made =
        create(kAdmin, fmt::format("{}?dryRun=All", kRedPods), pod(row.spec, row.annotations));
    EXPECT_EQ(made.code, 201) << made.message;
  }
}

TEST_F(HostAccess, OtherPodsAreForEverybody) {
  for (const std::string_view spec :
       {"containers: [{name: c, image: app, securityContext: {capabilities: {add: [CHOWN, "
        "CAP_KILL], drop: [NET_RAW]}, seccompProfile: {type: RuntimeDefault}}}]",
        "hostUsers: false, shareProcessNamespace: true, containers: [{name: c, image: 'host:v1'}]",
        "containers: [{name: c, image: registry.example/host}]"}) {
    const Told made = create(kTenant, fmt::format("{}?dryRun=All", kRedPods), pod(spec));
    EXPECT_EQ(made.code, 201) << made.message;
  }
}

TEST_F(HostAccess, TemplatesAreJudgedInEveryKindThatHasOne) {
  const std::string_view reach = "containers: [{name: c, image: host}], restartPolicy: Never";
  const std::string in =
      fmt::format("template: {{metadata: {{labels: {{a: b}}}}, spec: {{{}}}}}", reach);
  const auto made = [&](std::string_view target, std::string_view spec) {
    return create(kTenant, target, fmt::format("{{metadata: {{name: x}}, spec: {{{}}}}}", spec));
  };
  EXPECT_EQ(made("/apis/batch/v1/namespaces/red/jobs", in).code, 403);
  EXPECT_EQ(made("/apis/batch/v1/namespaces/red/cronjobs",
                 fmt::format("schedule: '* * * * *', jobTemplate: {{spec: {{{}}}}}", in))
                .code,
            403);
  const std::string always = fmt::format(
      "selector: {{matchLabels: {{a: b}}}}, template: {{metadata: "
      "{{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: "
      "host}}]}}}}");
  EXPECT_EQ(made("/apis/apps/v1/namespaces/red/deployments", always).code, 403);
  EXPECT_EQ(made("/apis/apps/v1/namespaces/red/replicasets", always).code, 403);
  EXPECT_EQ(made("/apis/apps/v1/namespaces/red/daemonsets", always).code, 403);
  EXPECT_EQ(made("/apis/apps/v1/namespaces/red/statefulsets", always + ", serviceName: x").code,
            403);
}

TEST_F(HostAccess, WhatAnAdministratorAllowedIsNotChangedIntoSomethingElse) {
  const std::string agent =
      "volumes: [{name: h, hostPath: {path: /var/log}}], containers: [{name: c, image: app, "
      "volumeMounts: [{name: h, mountPath: /h, readOnly: true}]}]";
  ASSERT_EQ(create(kAdmin, kRedDeployments, deployment(agent)).code, 201);
  const std::string target = fmt::format("{}/d", kRedDeployments);
  const auto patched = [&](std::string_view type, std::string_view body) {
    const Told told = ask(kTenant, "PATCH", target, body, type);
    EXPECT_EQ(told.code, 403) << body << ": " << told.message;
    return told.message;
  };
  EXPECT_NE(
      patched("application/json-patch+json",
              "[{op: replace, path: /spec/template/spec/volumes/0/hostPath/path, value: /etc}]")
          .find("hostPath /etc"),
      std::string::npos);
  const std::string_view strategic = "application/strategic-merge-patch+json";
  patched(
      strategic,
      "{spec: {template: {spec: {containers: [{name: c, securityContext: {privileged: true}}]}}}}");
  patched(strategic, "{spec: {template: {spec: {containers: [{name: c, command: [sh]}]}}}}");
  patched(strategic, "{spec: {template: {spec: {containers: [{name: c, image: mine}]}}}}");
  patched(
      strategic,
      "{spec: {template: {spec: {containers: [{name: c, volumeMounts: [{mountPath: /h, name: h, "
      "readOnly: false}]}]}}}}");
  patched(strategic, "{spec: {template: {spec: {containers: [{name: two, image: mine}]}}}}");
  EXPECT_EQ(ask(kTenant, "PATCH", target + "?fieldManager=me&force=true",
                deployment("containers: [{name: c, image: mine}]"), "application/apply-patch+yaml")
                .code,
            403);
  EXPECT_EQ(ask(kAdmin, "PATCH", target,
                "{spec: {template: {spec: {containers: [{name: c, command: [sh]}]}}}}", strategic)
                .code,
            200);
}

TEST_F(HostAccess, WhatChangesNothingOfAReachPasses) {
  ASSERT_EQ(
      create(kAdmin, kRedDeployments, deployment("containers: [{name: c, image: host}]")).code,
      201);
  const std::string target = fmt::format("{}/d", kRedDeployments);
  EXPECT_EQ(merge(kTenant, target, "{spec: {replicas: 3}, metadata: {labels: {x: z}}}").code, 200);
  EXPECT_EQ(merge(kTenant, target + "/scale", "{spec: {replicas: 2}}").code, 200);
  EXPECT_EQ(merge(kTenant, target,
                  "{spec: {template: {metadata: {annotations: {kubectl.kubernetes.io/restartedAt: "
                  "now}}}}}")
                .code,
            200);
  EXPECT_EQ(
      merge(kTenant, target, "{spec: {template: {spec: {containers: [{name: c, image: app}]}}}}")
          .code,
      200)
      << "it reaches no more";
}

TEST_F(HostAccess, APodOfAnAdministratorsTakesNoOtherImageFromTenants) {
  ASSERT_EQ(
      create(kAdmin, kRedPods, pod("hostPID: true, containers: [{name: c, image: app}]")).code,
      201);
  const std::string target = fmt::format("{}/p", kRedPods);
  EXPECT_EQ(ask(kTenant, "PATCH", target, "{spec: {containers: [{name: c, image: mine}]}}",
                "application/strategic-merge-patch+json")
                .code,
            403);
  EXPECT_EQ(merge(kTenant, target, "{metadata: {labels: {x: z}}}").code, 200);
  const Told bound = create(kAdmin, target + "/binding", "{target: {kind: Node, name: here}}");
  EXPECT_EQ(bound.code, 201) << bound.message;
}

TEST_F(HostAccess, AMarkedNamespaceMayRunTheMachinesImageAndNothingElse) {
  ASSERT_EQ(merge(kAdmin, "/api/v1/namespaces/red",
                  "{metadata: {labels: {holdfast.dev/host-image: allowed}}}")
                .code,
            200);
  const Told made = create(kTenant, kRedPods, pod("containers: [{name: c, image: host}]"));
  EXPECT_EQ(made.code, 201) << made.message;
  EXPECT_EQ(create(kTenant, kRedDeployments,
                   deployment("hostPID: true, containers: [{name: c, image: host}]"))
                .code,
            403);
}

TEST_F(HostAccess, TheMarkIsSetByWhoOwnsTheMachineThroughWhateverDoor) {
  const std::string_view roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  ASSERT_EQ(create(kAdmin, roles,
                   "{metadata: {name: namer}, rules: [{apiGroups: [''], resources: [namespaces, "
                   "namespaces/status, namespaces/finalize], verbs: ['*']}]}")
                .code,
            201);
  grant("namer");
  const std::string_view mark = "{metadata: {labels: {holdfast.dev/host-image: allowed}}}";
  const std::string_view red = "/api/v1/namespaces/red";
  const Told refused = merge(kTenant, red, mark);
  EXPECT_EQ(refused.code, 403);
  EXPECT_NE(refused.message.find("label holdfast.dev/host-image"), std::string::npos)
      << refused.message;
  merge(kTenant, fmt::format("{}/status", red), mark);
  ask(kTenant, "PUT", fmt::format("{}/finalize", red),
      "{metadata: {name: red, labels: {holdfast.dev/host-image: allowed}}, spec: {finalizers: "
      "[kubernetes]}}");
  EXPECT_EQ(create(kTenant, kRedPods, pod("containers: [{name: c, image: host}]")).code, 403);
  EXPECT_EQ(merge(kTenant, red, "{metadata: {labels: {team: red}}}").code, 200);
}

TEST_F(HostAccess, WhatIsMadeFromATenantsWishIsJudgedByItsNamespace) {
  const std::string_view reach = "holdfast.dev/reach: namespace";
  const std::string_view host = "containers: [{name: c, image: host}]";
  const Told refused = create(kAdmin, kRedPods, pod(host, reach));
  EXPECT_EQ(refused.code, 403);
  EXPECT_NE(refused.message.find("only a namespace with the label"), std::string::npos)
      << refused.message;
  EXPECT_EQ(
      create(kAdmin, kRedPods, pod("hostPID: true, containers: [{name: c, image: app}]", reach))
          .code,
      403);
  EXPECT_EQ(create(kAdmin, kRedDeployments, deployment(host, reach)).code, 403);
  ASSERT_EQ(make_namespace("blue", "holdfast.dev/host-image: allowed").code, 201);
  while (core_->step()) {
  }
  const Told made = create(kAdmin, "/api/v1/namespaces/blue/pods", pod(host, reach));
  EXPECT_EQ(made.code, 201) << made.message;
}

TEST_F(HostAccess, TheMarkOfATemplateIsNotTakenOffByATenant) {
  const std::string_view red = "/api/v1/namespaces/red";
  ASSERT_EQ(merge(kAdmin, red, "{metadata: {labels: {holdfast.dev/host-image: allowed}}}").code,
            200);
  ASSERT_EQ(
      create(kAdmin, kRedDeployments,
             deployment("containers: [{name: c, image: host}]", "holdfast.dev/reach: namespace"))
          .code,
      201);
  ASSERT_EQ(merge(kAdmin, red, "{metadata: {labels: {holdfast.dev/host-image: null}}}").code, 200);
  EXPECT_EQ(merge(kTenant, fmt::format("{}/d", kRedDeployments),
                  "{spec: {template: {metadata: {annotations: {holdfast.dev/reach: null}}}}}")
                .code,
            403);
}

TEST_F(HostAccess, ExecIntoAReachingPodNeedsTheRightToMakeIt) {
  ASSERT_EQ(create(kAdmin, kRedPods, pod("containers: [{name: c, image: host}]")).code, 201);
  const std::string exec = fmt::format("{}/p/exec?command=id&stdout=true", kRedPods);
  const Told refused = ask(kTenant, "GET", exec);
  EXPECT_EQ(refused.code, 403);
  EXPECT_TRUE(refused.message.starts_with(
      "pods \"p\" is forbidden: cannot exec into it: it reaches for the machine itself: "))
      << refused.message;
  EXPECT_EQ(ask(kTenant, "POST", exec).code, 403);
  EXPECT_EQ(ask(kAdmin, "GET", exec).message, "pod p does not have a host assigned");
  ASSERT_EQ(merge(kAdmin, "/api/v1/namespaces/red",
                  "{metadata: {labels: {holdfast.dev/host-image: allowed}}}")
                .code,
            200);
  EXPECT_EQ(ask(kTenant, "GET", exec).message, "pod p does not have a host assigned");
}

TEST_F(HostAccess, ExecIntoOtherPodsIsAsEver) {
  ASSERT_EQ(create(kTenant, kRedPods, pod(kPlain)).code, 201);
  EXPECT_EQ(ask(kTenant, "GET", fmt::format("{}/p/exec?command=id&stdout=true", kRedPods)).message,
            "pod p does not have a host assigned");
}

}  // namespace
}  // namespace holdfast::apiserver
