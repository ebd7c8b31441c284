/// Namespaces, garbage collection, bindings and scale: what happens after the answer.
#include "suite.h"

namespace holdfast::suite {
namespace {

class Lifecycle : public Case {
 protected:
  /// A ConfigMap owned by another.
  void make_owned(const std::string& name, const Reply& owner, const std::string& more = "") {
    make_map(name, ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: " +
                       owner.at("metadata/name") + ", uid: " + owner.at("metadata/uid") + more +
                       "}]");
  }
};

TEST_F(Lifecycle, BackgroundDeletionTakesDependents) {
  const Reply owner = make_map("owner");
  make_owned("child", owner);
  EXPECT_EQ(del("$CM/owner?propagationPolicy=Background").at("status"), "Success");
  EXPECT_EQ(get("$CM/owner").code, 404);
  EXPECT_EQ(await_gone("$CM/child").code, 404);
}

TEST_F(Lifecycle, ForegroundDeletionWaitsForBlockingDependents) {
  const Reply owner = make_map("owner");
  make_owned("child", owner, ", blockOwnerDeletion: true");
  const Reply marked = del("$CM/owner?propagationPolicy=Foreground");
  EXPECT_EQ(marked.at("metadata/finalizers"), R"(["foregroundDeletion"])");
  EXPECT_EQ(await_gone("$CM/owner").code, 404);
  EXPECT_EQ(get("$CM/child").code, 404);
}

TEST_F(Lifecycle, OrphanDeletionCutsTheTie) {
  const Reply owner = make_map("owner");
  make_owned("child", owner);
  del("$CM/owner?propagationPolicy=Orphan");
  EXPECT_EQ(await_gone("$CM/owner").code, 404);
  const Reply child = get("$CM/child");
  EXPECT_EQ(child.code, 200);
  EXPECT_EQ(child.at("metadata/ownerReferences"), "");
}

TEST_F(Lifecycle, DependentsOfNobodyGo) {
  make_map("child",
           ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: never, uid: "
           "00000000-0000-0000-0000-000000000001}]");
  EXPECT_EQ(await_gone("$CM/child").code, 404);
}

TEST_F(Lifecycle, DependentsWithAnotherOwnerStay) {
  const Reply one = make_map("one");
  const Reply two = make_map("two");
  make_map("child", ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: one, uid: " +
                        one.at("metadata/uid") +
                        "}, {apiVersion: v1, kind: ConfigMap, name: two, uid: " +
                        two.at("metadata/uid") + "}]");
  del("$CM/one");
  const Reply child = await("$CM/child", [](const Reply& reply) {
    return reply.at("metadata/ownerReferences/1").empty();
  });
  EXPECT_EQ(child.at("metadata/ownerReferences/0/name"), "two");
  EXPECT_EQ(child.at("metadata/ownerReferences/1"), "");
}

TEST_F(Lifecycle, OwnerReferencesAreChecked) {
  EXPECT_EQ(
      post("$CM", "{metadata: {name: a, ownerReferences: [{kind: ConfigMap, name: x, uid: u}]}}")
          .failure(),
      "422 Invalid: ConfigMap \"a\" is invalid: metadata.ownerReferences.apiVersion: Invalid "
      "value: "
      "\"\": version must not be empty");
  EXPECT_EQ(
      post("$CM",
           "{metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: X, name: x, uid: ''}]}}")
          .causes(),
      "FieldValueInvalid metadata.ownerReferences.uid: Invalid value: \"\": must not be empty");
}

TEST_F(Lifecycle, NamespaceHasWhatEveryOneHas) {
  await_account();
  const Reply space = get("/api/v1/namespaces/$NS");
  EXPECT_EQ(space.at("metadata/labels"), R"({"kubernetes.io/metadata.name":"$NS"})");
  EXPECT_EQ(space.at("spec/finalizers"), R"(["kubernetes"])");
  EXPECT_EQ(space.at("status/phase"), "Active");
  const Reply root =
      await("$CM/kube-root-ca.crt", [](const Reply& reply) { return reply.code == 200; });
  EXPECT_NE(root.at("data/ca.crt").find("BEGIN CERTIFICATE"), std::string::npos);
}

TEST_F(Lifecycle, NamespaceTakesItsContent) {
  make_map("a");
  make_map("held", ", finalizers: [suite.example/hold]");
  const Reply marked = del("/api/v1/namespaces/$NS");
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(marked.at("kind"), "Namespace");
  EXPECT_EQ(marked.at("status/phase"), "Terminating");
  EXPECT_EQ(await_gone("$CM/a").code, 404);
  const Reply refused = post("$CM", "{metadata: {name: late}}");
  EXPECT_EQ(
      refused.failure(),
      "403 Forbidden: configmaps \"late\" is forbidden: unable to create new content in namespace "
      "$NS because it is being terminated");
  EXPECT_EQ(refused.causes(),
            "NamespaceTerminating metadata.namespace: namespace $NS is being terminated");
  EXPECT_EQ(merge("$CM/held", "{metadata: {finalizers: null}}").code, 200);
  EXPECT_EQ(await_gone("/api/v1/namespaces/$NS").code, 404);
}

TEST_F(Lifecycle, ProtectedNamespacesStay) {
  EXPECT_EQ(
      del("/api/v1/namespaces/default").failure(),
      "403 Forbidden: namespaces \"default\" is forbidden: this namespace may not be deleted");
  EXPECT_EQ(del("/api/v1/namespaces/kube-system").code, 403);
}

TEST_F(Lifecycle, NamespaceFinalizersGoByFinalize) {
  const Reply space = get("/api/v1/namespaces/$NS");
  EXPECT_EQ(merge("/api/v1/namespaces/$NS", "{spec: {finalizers: []}}").at("spec/finalizers"),
            R"(["kubernetes"])");
  const Reply emptied =
      put("/api/v1/namespaces/$NS/finalize", "{metadata: {name: $NS}, spec: {finalizers: []}}");
  EXPECT_EQ(emptied.code, 200);
  EXPECT_EQ(emptied.at("spec"), "{}");
  put("/api/v1/namespaces/$NS/finalize",
      "{metadata: {name: $NS}, spec: {finalizers: [kubernetes]}}");
}

TEST_F(Lifecycle, BindingPlacesAPod) {
  await_account();
  post("$POD", "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
  const std::string binding = "{metadata: {name: p}, target: {kind: Node, name: n1}}";
  const Reply bound = post("$POD/p/binding", binding);
  EXPECT_EQ(bound.code, 201);
  EXPECT_EQ(bound.at("status"), "Success");
  const Reply pod = get("$POD/p");
  EXPECT_EQ(pod.at("spec/nodeName"), "n1");
  EXPECT_EQ(pod.at("status/conditions/0/type"), "PodScheduled");
  const Reply again =
      post("$POD/p/binding", "{metadata: {name: p}, target: {kind: Node, name: n2}}");
  EXPECT_EQ(again.failure(),
            "409 Conflict: Operation cannot be fulfilled on pods/binding \"p\": pod p is already "
            "assigned "
            "to node \"n1\"");
  const std::string owners = get("$POD/p").at("metadata/managedFields");
  EXPECT_EQ(owners.find("nodeName"), std::string::npos) << owners;
}

TEST_F(Lifecycle, ScaleOfADeployment) {
  const std::string target = "/apis/apps/v1/namespaces/$NS/deployments";
  post(target,
       "{metadata: {name: d}, spec: {replicas: 2, selector: {matchLabels: {app: d}}, template: "
       "{metadata: {labels: {app: d}}, spec: {containers: [{name: c, image: i}]}}}}");
  const Reply scale = get(target + "/d/scale");
  EXPECT_EQ(scale.at("kind"), "Scale");
  EXPECT_EQ(scale.at("spec"), R"({"replicas":2})");
  EXPECT_EQ(scale.at("status"), R"({"replicas":0,"selector":"app=d"})");
  EXPECT_EQ(merge(target + "/d/scale", "{spec: {replicas: 5}}").at("spec/replicas"), "5");
  const Reply now = get(target + "/d");
  EXPECT_EQ(now.at("spec/replicas"), "5");
  EXPECT_EQ(now.at("metadata/generation"), "2");
  EXPECT_EQ(put(target + "/d/scale",
                "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: d}, spec: "
                "{replicas: -1}}")
                .code,
            422);
  EXPECT_NE(now.at("metadata/managedFields").find("f:replicas"), std::string::npos);
  EXPECT_EQ(merge(target + "/d/scale", "{spec: {replicas: 0}}").code, 200);
  const std::string owners = get(target + "/d").at("metadata/managedFields");
  EXPECT_EQ(owners.find("f:replicas"), std::string::npos) << owners;
}

TEST_F(Lifecycle, NewNodesAreNotReady) {
  const std::string taint = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";
  EXPECT_EQ(post("/api/v1/nodes", "{metadata: {name: $NS}}").at("spec/taints"), "[" + taint + "]");
  EXPECT_EQ(merge("/api/v1/nodes/$NS", "{spec: {taints: null}}").at("spec/taints"), "");
  del("/api/v1/nodes/$NS");
  const Reply tainted =
      post("/api/v1/nodes",
           "{metadata: {name: $NS}, spec: {taints: [{key: node.kubernetes.io/not-ready, effect: "
           "NoSchedule}, {key: node.kubernetes.io/not-ready, effect: NoExecute}]}}");
  EXPECT_EQ(tainted.at("spec/taints/0"), taint);
  EXPECT_EQ(tainted.at("spec/taints/2"), "");
  del("/api/v1/nodes/$NS");
}

TEST_F(Lifecycle, VolumePhasesHaveTheirTime) {
  const std::string target = "/api/v1/persistentvolumes";
  const Reply made = post(target,
                          "{metadata: {name: $NS}, spec: {capacity: {storage: 1Gi}, accessModes: "
                          "[ReadWriteOnce], hostPath: {path: /x}}}");
  ASSERT_EQ(made.code, 201) << made.body;
  const std::string member = "status/lastPhaseTransitionTime";
  EXPECT_NE(made.at(member), "");
  const std::string past = "2001-02-03T04:05:06Z";
  const auto set = [&](const std::string& status) {
    return merge(target + "/$NS/status", "{status: {" + status + "}}").at(member);
  };
  EXPECT_EQ(set("lastPhaseTransitionTime: '" + past + "'"), past);
  EXPECT_EQ(set("lastPhaseTransitionTime: null, message: same"), past);
  EXPECT_EQ(set("phase: Released, lastPhaseTransitionTime: '2002-02-03T04:05:06Z'"),
            "2002-02-03T04:05:06Z");
  EXPECT_GE(set("phase: Available"), made.at(member));
  set("lastPhaseTransitionTime: '" + past + "'");
  EXPECT_GE(set("phase: Failed, lastPhaseTransitionTime: null"), made.at(member));
  del(target + "/$NS");
}

TEST_F(Lifecycle, PodsGetTheirAccount) {
  await_account();
  const Reply pod =
      post("$POD", "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
  EXPECT_EQ(pod.at("spec/serviceAccountName"), "default");
  EXPECT_EQ(pod.at("spec/volumes/0/projected/sources/0/serviceAccountToken/path"), "token");
  EXPECT_EQ(pod.at("spec/containers/0/volumeMounts/0/mountPath"),
            "/var/run/secrets/kubernetes.io/serviceaccount");
  EXPECT_EQ(pod.at("status/phase"), "Pending");
  EXPECT_EQ(pod.at("status/qosClass"), "BestEffort");
  EXPECT_EQ(post("$POD",
                 "{metadata: {name: q}, spec: {serviceAccountName: none, containers: [{name: c, "
                 "image: i}]}}")
                .failure(),
            "403 Forbidden: pods \"q\" is forbidden: error looking up service account $NS/none: "
            "serviceaccount \"none\" not found");
}

/// What keeps a claim that is being deleted: kube-controller-manager's protection, and ours.
class ClaimProtection : public Case {
 protected:
  void SetUp() override {
    Case::SetUp();
    await_account();
  }
  void make_claim(const std::string& name, const std::string& more = "") {
    const Reply made = post("$PVC", "{metadata: {name: " + name + more +
                                        "}, spec: {accessModes: [ReadWriteOnce], resources: "
                                        "{requests: {storage: 1Gi}}}}");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  Reply make_pod(const std::string& spec, const std::string& volume) {
    return post("$POD", "{metadata: {name: p}, spec: {" + spec +
                            " containers: [{name: c, image: i}], volumes: [{name: v, " + volume +
                            "}]}}");
  }
  /// Deletes it and lets the controller get as far as another claim that was deleted after it.
  Reply after_deletion(const std::string& name) {
    del("$PVC/" + name);
    make_claim("later");
    del("$PVC/later");
    EXPECT_EQ(await_gone("$PVC/later").code, 404);
    return get("$PVC/" + name);
  }
  const std::string mounted_ = "persistentVolumeClaim: {claimName: data}";
  const std::string ephemeral_ =
      "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: "
      "{requests: {storage: 1Gi}}}}}";
};

TEST_F(ClaimProtection, APodThatHasEndedHoldsItsClaimUntilItIsGone) {
  make_claim("data");
  make_pod("nodeName: n1,", mounted_);
  ASSERT_EQ(merge("$POD/p/status", "{status: {phase: Succeeded}}").at("status/phase"), "Succeeded");

  EXPECT_NE(after_deletion("data").at("metadata/deletionTimestamp"), "");
  del("$POD/p?gracePeriodSeconds=0");

  EXPECT_EQ(await_gone("$PVC/data").code, 404);
}

TEST_F(ClaimProtection, APodWithoutANodeHoldsNone) {
  make_claim("data");
  make_pod("", mounted_);

  del("$PVC/data");

  EXPECT_EQ(await_gone("$PVC/data").code, 404);
}

TEST_F(ClaimProtection, AnEphemeralVolumeHoldsTheClaimThatIsItsPodsOwn) {
  const Reply pod = make_pod("nodeName: n1,", ephemeral_);
  make_claim("p-v",
             ", ownerReferences: [{apiVersion: v1, kind: Pod, name: p, controller: true, uid: " +
                 pod.at("metadata/uid") + "}]");

  EXPECT_EQ(after_deletion("p-v").code, 200);
  del("$POD/p?gracePeriodSeconds=0");

  EXPECT_EQ(await_gone("$PVC/p-v").code, 404);
}

TEST_F(ClaimProtection, AnEphemeralVolumeDoesNotHoldAClaimThatOnlyHasTheName) {
  make_pod("nodeName: n1,", ephemeral_);
  make_claim("p-v");

  del("$PVC/p-v");

  EXPECT_EQ(await_gone("$PVC/p-v").code, 404);
}

}  // namespace
}  // namespace holdfast::suite
