/// Finalizers, preconditions, dry runs and the deletion of collections.
#include "suite.h"

namespace holdfast::suite {
namespace {

class Deletes : public Case {};

constexpr const char* kHeld = ", finalizers: [suite.example/hold]";

TEST_F(Deletes, FinalizerKeepsTheObject) {
  make_map("a", kHeld);
  const Reply marked = del("$CM/a");
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(marked.at("kind"), "ConfigMap");
  EXPECT_NE(marked.at("metadata/deletionTimestamp"), "");
  EXPECT_EQ(marked.at("metadata/deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(get("$CM/a").code, 200);
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, SecondDeleteChangesNothing) {
  make_map("a", kHeld);
  const std::string version = del("$CM/a").at("metadata/resourceVersion");
  EXPECT_EQ(del("$CM/a").at("metadata/resourceVersion"), version);
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, DeletionRaisesTheGeneration) {
  make_widgets("{type: object, x-kubernetes-preserve-unknown-fields: true}");
  post("$W", "{apiVersion: $G/v1, kind: Widget, metadata: {name: a, finalizers: [x.y/z]}}");
  EXPECT_EQ(get("$W/a").at("metadata/generation"), "1");
  EXPECT_EQ(del("$W/a").at("metadata/generation"), "2");
  EXPECT_EQ(del("$W/a").at("metadata/generation"), "2");
  merge("$W/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, RemovingTheLastFinalizerDeletes) {
  make_map("a", kHeld);
  del("$CM/a");
  const Reply last = merge("$CM/a", "{metadata: {finalizers: null}}");
  EXPECT_EQ(last.code, 200);
  EXPECT_EQ(last.at("metadata/name"), "a");
  EXPECT_EQ(get("$CM/a").code, 404);
}

TEST_F(Deletes, FinalizersCannotBeAddedWhileDying) {
  make_map("a", kHeld);
  del("$CM/a");
  const Reply added = merge("$CM/a", "{metadata: {finalizers: [suite.example/hold, b.c/d]}}");
  EXPECT_EQ(added.failure(),
            "422 Invalid: ConfigMap \"a\" is invalid: metadata.finalizers: Forbidden: no new "
            "finalizers can be added if the object is being deleted, found new finalizers "
            "[]string{\"b.c/d\"}");
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, DyingObjectsCanStillChange) {
  make_map("a", kHeld);
  del("$CM/a");
  EXPECT_EQ(merge("$CM/a", "{data: {z: m}}").at("data/z"), "m");
  EXPECT_NE(get("$CM/a").at("metadata/deletionTimestamp"), "");
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, DeletionTimestampCannotBeSet) {
  make_map("a");
  const Reply changed = merge("$CM/a", "{metadata: {deletionTimestamp: '2001-01-01T00:00:00Z'}}");
  EXPECT_EQ(changed.failure(),
            "422 Invalid: ConfigMap \"a\" is invalid: metadata.deletionTimestamp: Invalid value: "
            "\"2001-01-01T00:00:00Z\": field is immutable");
}

TEST_F(Deletes, FinalizersNeedAQualifiedName) {
  EXPECT_EQ(post("$CM", "{metadata: {name: a, finalizers: [plain]}}").failure(),
            "422 Invalid: ConfigMap \"a\" is invalid: metadata.finalizers[0]: Invalid value: "
            "\"plain\": name is neither a standard finalizer name nor is it fully qualified");
}

TEST_F(Deletes, UidPrecondition) {
  const std::string uid = make_map("a").at("metadata/uid");
  const Reply refused = del("$CM/a", "{preconditions: {uid: other}}");
  EXPECT_EQ(refused.failure(),
            "409 Conflict: Operation cannot be fulfilled on ConfigMap \"a\": the UID in the "
            "precondition (other) does not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_EQ(del("$CM/a", "{preconditions: {uid: " + uid + "}}").code, 200);
}

TEST_F(Deletes, VersionPrecondition) {
  const std::string version = make_map("a").at("metadata/resourceVersion");
  const Reply refused = del("$CM/a", "{preconditions: {resourceVersion: '1'}}");
  EXPECT_EQ(refused.failure(),
            "409 Conflict: Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion "
            "in the precondition (1) does not match the ResourceVersion in record (" +
                version + "). The object might have been modified");
  EXPECT_EQ(del("$CM/a", "{preconditions: {resourceVersion: '" + version + "'}}").code, 200);
}

TEST_F(Deletes, ForegroundAddsItsFinalizer) {
  make_map("a", kHeld);
  const Reply marked = del("$CM/a", "{propagationPolicy: Foreground}");
  EXPECT_EQ(marked.at("metadata/finalizers"), R"(["suite.example/hold","foregroundDeletion"])");
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, OrphanAddsItsFinalizer) {
  make_map("a", kHeld);
  const Reply marked = del("$CM/a?propagationPolicy=Orphan");
  EXPECT_EQ(marked.at("metadata/finalizers"), R"(["suite.example/hold","orphan"])");
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, UnknownPropagationIsRefused) {
  make_map("a");
  EXPECT_EQ(
      del("$CM/a", "{propagationPolicy: Sideways}").failure(),
      "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported "
      "value: \"Sideways\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"");
  EXPECT_EQ(del("$CM/a", "{propagationPolicy: Orphan, orphanDependents: true}").failure(),
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid "
            "value: \"Orphan\": orphanDependents and deletionPropagation cannot be both set");
}

TEST_F(Deletes, DryRunDeletesNothing) {
  make_map("a");
  EXPECT_EQ(del("$CM/a?dryRun=All").at("status"), "Success");
  EXPECT_EQ(del("$CM/a", "{dryRun: [All]}").at("status"), "Success");
  EXPECT_EQ(get("$CM/a").code, 200);
}

TEST_F(Deletes, DryRunStoresNothing) {
  const Reply made = post("$CM?dryRun=All", "{metadata: {name: a}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("metadata/resourceVersion"), "");
  EXPECT_NE(made.at("metadata/uid"), "");
  EXPECT_EQ(get("$CM/a").code, 404);
  const std::string version = make_map("a").at("metadata/resourceVersion");
  EXPECT_EQ(merge("$CM/a?dryRun=All", "{data: {k: w}}").at("data/k"), "w");
  EXPECT_EQ(get("$CM/a").at("metadata/resourceVersion"), version);
}

TEST_F(Deletes, DryRunStillConflicts) {
  make_map("a");
  EXPECT_EQ(post("$CM?dryRun=All", "{metadata: {name: a}}").failure(),
            "409 AlreadyExists: configmaps \"a\" already exists");
}

TEST_F(Deletes, UnknownDryRunIsRefused) {
  EXPECT_EQ(post("$CM?dryRun=Some", "{metadata: {name: a}}").failure(),
            "422 Invalid: CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: "
            "[\"Some\"]: supported values: \"All\"");
}

TEST_F(Deletes, CollectionGoesBySelector) {
  make_map("a", ", labels: {x: one}");
  make_map("b", ", labels: {x: one}");
  make_map("c", ", labels: {x: two}");
  const Reply gone = del("$CM?labelSelector=x%3Done");
  EXPECT_EQ(gone.code, 200);
  EXPECT_EQ(gone.at("kind"), "ConfigMapList");
  EXPECT_EQ(gone.items(), "a b");
  EXPECT_EQ(get("$CM?labelSelector=x").items(), "c");
}

TEST_F(Deletes, CollectionKeepsWhatIsHeld) {
  make_map("a", ", labels: {x: one}, finalizers: [suite.example/hold]");
  make_map("b", ", labels: {x: one}");
  del("$CM?labelSelector=x%3Done");
  const Reply left = get("$CM?labelSelector=x%3Done");
  EXPECT_EQ(left.items(), "a");
  EXPECT_NE(left.at("items/0/metadata/deletionTimestamp"), "");
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Deletes, CollectionDryRun) {
  make_map("a", ", labels: {x: one}");
  EXPECT_EQ(del("$CM?labelSelector=x%3Done&dryRun=All").items(), "a");
  EXPECT_EQ(get("$CM/a").code, 200);
}

TEST_F(Deletes, GracePeriodOfAPod) {
  await_account();
  post("$POD", R"({metadata: {name: p}, spec: {nodeName: n1, containers: [{name: c, image: i}]}})");
  const Reply marked = del("$POD/p", "{gracePeriodSeconds: 9}");
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(marked.at("metadata/deletionGracePeriodSeconds"), "9");
  EXPECT_EQ(get("$POD/p").code, 200);
  EXPECT_EQ(del("$POD/p?gracePeriodSeconds=0").code, 200);
  EXPECT_EQ(get("$POD/p").code, 404);
}

TEST_F(Deletes, UnscheduledPodGoesAtOnce) {
  await_account();
  post("$POD", "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
  EXPECT_EQ(del("$POD/p").code, 200);
  EXPECT_EQ(get("$POD/p").code, 404);
}

}  // namespace
}  // namespace holdfast::suite
