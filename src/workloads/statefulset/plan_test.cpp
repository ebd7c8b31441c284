#include "statefulset/plan.h"

#include <holdfast/model/time.h>

#include "statefulset/claims.h"
#include "statefulset/revisions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::workloads::statefulset {
namespace {

using control::Outcome;

kube::Cached cached(const model::Value& value) {
  auto object = kube::Cached::from_value(value);
  EXPECT_TRUE(object) << model::to_json(value);
  return *object;
}

model::Value json(std::string_view text) {
  auto parsed = model::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed->value;
}

constexpr std::string_view kSet = R"({
  "apiVersion": "apps/v1", "kind": "StatefulSet",
  "metadata": {"name": "db", "namespace": "shop", "uid": "set-1", "generation": 1,
               "resourceVersion": "7"},
  "spec": {"replicas": 3, "serviceName": "db", "podManagementPolicy": "OrderedReady",
           "selector": {"matchLabels": {"app": "db"}}, "revisionHistoryLimit": 2,
           "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
           "template": {"metadata": {"labels": {"app": "db"}},
                        "spec": {"containers": [{"name": "c", "image": "db:1"}]}}},
  "status": {"replicas": 0, "availableReplicas": 0}})";

constexpr std::string_view kClaimTemplates = R"([{"apiVersion": "v1",
  "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
  "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
  "status": {"phase": "Pending"}}])";

/// A StatefulSet and what stands around it, changed by hand between plans.
class World {
 public:
  World() : set_(json(kSet)) {}

  model::Object& spec() { return model::ensure_object(set_, {"spec"}); }
  model::Object& strategy() { return model::ensure_object(set_, {"spec", "updateStrategy"}); }
  model::Value& set() { return set_; }

  void add_pod(int64_t ordinal, std::string_view revision, std::string_view phase = "Running",
               bool ready = true, bool going = false) {
    model::Value pod = json(fmt::format(
        R"({{"metadata": {{"name": "db-{0}", "namespace": "shop", "uid": "pod-{0}",
             "resourceVersion": "9", "labels": {{"app": "db", "controller-revision-hash": "{1}",
             "statefulset.kubernetes.io/pod-name": "db-{0}"}}}},
             "status": {{"phase": "{2}", "conditions": [{{"type": "Ready", "status": "{3}",
             "lastTransitionTime": "2026-01-01T00:00:00Z"}}]}}}})",
        ordinal, revision, phase, ready ? "True" : "False"));
    if (going)
      model::ensure_object(pod, {"metadata"})["deletionTimestamp"] = "2026-01-01T00:00:09Z";
    pods_.push_back(pod);
  }
  model::Value& pod(size_t i) { return pods_[i]; }
  void drop_pod(size_t i) { pods_.erase(pods_.begin() + ptrdiff_t(i)); }

  void add_claim(int64_t ordinal, const model::Array& owners = {}, bool going = false) {
    model::Value claim = json(fmt::format(
        R"({{"metadata": {{"name": "data-db-{0}", "namespace": "shop", "uid": "claim-{0}",
             "resourceVersion": "8"}}}})",
        ordinal));
    model::Object& metadata = model::ensure_object(claim, {"metadata"});
    if (!owners.empty()) metadata["ownerReferences"] = owners;
    if (going) metadata["deletionTimestamp"] = "2026-01-01T00:00:09Z";
    claims_.push_back(claim);
  }

  /// A revision of the template as it stands, and its name in the status.
  std::string add_revision(int64_t number, bool current = true) {
    const Observed now = seen();
    model::Value revision = new_revision(now, read_history(now));
    revision.as_object()["revision"] = number;
    const std::string name(model::string_at(revision, {"metadata", "name"}));
    revisions_.push_back(revision);
    if (current) model::ensure_object(set_, {"status"})["currentRevision"] = name;
    model::ensure_object(set_, {"status"})["updateRevision"] = name;
    return name;
  }
  void change_image(std::string_view image) {
    model::find(set_, {"spec", "template", "spec"})->as_object()["containers"] =
        json(fmt::format(R"([{{"name": "c", "image": "{}"}}])", image));
  }

  Observed seen() const {
    Observed seen;
    seen.set = read_set(cached(set_));
    for (const auto& pod : pods_) seen.pods.push_back(read_replica(cached(pod)));
    for (const auto& revision : revisions_)
      seen.revisions.push_back(read_revision(cached(revision)));
    for (const auto& claim : claims_)
      seen.claims.emplace(model::string_at(claim, {"metadata", "name"}), read_claim(cached(claim)));
    seen.now = *model::parse_rfc3339("2026-01-01T00:00:30Z");
    put_in_order(seen);
    return seen;
  }
  Outcome next() const { return plan(seen()); }
  /// "create pods shop/db-0", or "" if the plan writes nothing.
  std::string wants() const {
    const Outcome outcome = next();
    return outcome.write() ? outcome.write()->text() : "";
  }
  /// The counts and names that the next write would put into the status.
  model::Value told() const {
    const Outcome outcome = next();
    if (!outcome.write() || outcome.write()->subresource != "status") return nullptr;
    return *model::find(outcome.write()->body, {"status"});
  }

 private:
  model::Value set_;
  std::vector<model::Value> pods_{}, claims_{}, revisions_{};
};

TEST(StatefulSetPlan, RecordsARevisionAndItsNameBeforeTheFirstPod) {
  World world;

  EXPECT_TRUE(world.wants().starts_with("create controllerrevisions.apps shop/db-"));

  const std::string name = world.add_revision(1);
  world.set().as_object()["status"] = json(R"({"replicas": 0})");
  EXPECT_EQ(world.wants(), "update statefulsets.apps/status shop/db");
  EXPECT_EQ(model::string_at(world.told(), {"currentRevision"}), name);
  EXPECT_EQ(model::string_at(world.told(), {"updateRevision"}), name);
}

TEST(StatefulSetPlan, CreatesMembersInOrderEachAfterTheOneBefore) {
  World world;
  const std::string name = world.add_revision(1);

  EXPECT_EQ(world.wants(), "create pods shop/db-0");
  world.add_pod(0, name, "Pending", false);
  EXPECT_EQ(model::int_at(world.told(), {"replicas"}, 0), 1);
  EXPECT_EQ(world.next().write()->subresource, "status");

  world.drop_pod(0);
  world.add_pod(0, name);
  EXPECT_EQ(world.wants(), "create pods shop/db-1");
}

TEST(StatefulSetPlan, PodCarriesItsIdentity) {
  World world;
  const std::string name = world.add_revision(1);

  const model::Value pod = world.next().write()->body;

  EXPECT_EQ(model::string_at(pod, {"metadata", "generateName"}), "db-");
  const model::Object& labels = model::object_at(pod, {"metadata", "labels"});
  EXPECT_EQ(labels.at("statefulset.kubernetes.io/pod-name"), "db-0");
  EXPECT_EQ(labels.at("apps.kubernetes.io/pod-index"), "0");
  EXPECT_EQ(labels.at("controller-revision-hash"), boost::json::string(name));
  EXPECT_EQ(model::string_at(pod, {"spec", "hostname"}), "db-0");
  EXPECT_EQ(model::string_at(pod, {"spec", "subdomain"}), "db");
}

TEST(StatefulSetPlan, ParallelSetCreatesWithoutWaiting) {
  World world;
  world.spec()["podManagementPolicy"] = "Parallel";
  const std::string name = world.add_revision(1);
  world.add_pod(0, name, "Pending", false);

  EXPECT_EQ(world.wants(), "create pods shop/db-1");
}

TEST(StatefulSetPlan, StartOrdinalMovesTheMembers) {
  World world;
  world.spec()["ordinals"] = model::Object{{"start", 5}};
  world.add_revision(1);

  EXPECT_EQ(world.wants(), "create pods shop/db-5");
}

TEST(StatefulSetPlan, ShrinksFromAboveOneAtATime) {
  World world;
  const std::string name = world.add_revision(1);
  for (int i = 0; i < 3; ++i) world.add_pod(i, name);
  world.spec()["replicas"] = 1;

  EXPECT_EQ(world.wants(), "delete pods shop/db-2");

  world.drop_pod(2);
  world.add_pod(2, name, "Running", true, /*going=*/true);
  EXPECT_NE(world.wants(), "delete pods shop/db-1");
  world.drop_pod(2);
  EXPECT_EQ(world.wants(), "delete pods shop/db-1");
}

TEST(StatefulSetPlan, UnhealthyCondemnedPodMayGoOnlyIfItIsTheLowestSuch) {
  World world;
  const std::string name = world.add_revision(1);
  world.spec()["replicas"] = 1;
  world.add_pod(0, name);
  world.add_pod(1, name, "Running", false);
  world.add_pod(2, name, "Running", false);
  EXPECT_NE(world.wants(), "delete pods shop/db-2");

  world.drop_pod(1);
  EXPECT_EQ(world.wants(), "delete pods shop/db-2");
}

TEST(StatefulSetPlan, RollsFromAboveAndKeepsWhatIsBelowThePartition) {
  World world;
  const std::string old_name = world.add_revision(1);
  for (int i = 0; i < 3; ++i) world.add_pod(i, old_name);
  world.change_image("db:2");
  const std::string new_name = world.add_revision(2, /*current=*/false);
  world.strategy()["rollingUpdate"] = model::Object{{"partition", 1}};
  ASSERT_NE(old_name, new_name);

  EXPECT_EQ(world.wants(), "delete pods shop/db-2");
  world.drop_pod(2);
  const Outcome replaced = world.next();
  ASSERT_TRUE(replaced.write());
  EXPECT_EQ(model::string_at(replaced.write()->body, {"metadata", "name"}), "db-2");
  EXPECT_EQ(model::array_at(replaced.write()->body, {"spec", "containers"})[0].at("image"), "db:2");

  world.add_pod(2, new_name, "Running", false);
  EXPECT_NE(world.wants(), "delete pods shop/db-1");
  world.drop_pod(2);
  world.add_pod(2, new_name);
  EXPECT_EQ(world.wants(), "delete pods shop/db-1");
  world.drop_pod(1);
  world.add_pod(1, new_name);
  EXPECT_EQ(world.next().write()->subresource, "status");
  EXPECT_EQ(model::string_at(world.told(), {"currentRevision"}), old_name);

  world.drop_pod(0);
  const Outcome kept = world.next();
  EXPECT_EQ(model::string_at(kept.write()->body, {"metadata", "name"}), "db-0");
  EXPECT_EQ(model::array_at(kept.write()->body, {"spec", "containers"})[0].at("image"), "db:1");
}

TEST(StatefulSetPlan, CompleteRollMakesTheNewRevisionCurrent) {
  World world;
  world.add_revision(1);
  world.change_image("db:2");
  const std::string name = world.add_revision(2, /*current=*/false);
  for (int i = 0; i < 3; ++i) world.add_pod(i, name);

  EXPECT_EQ(model::string_at(world.told(), {"currentRevision"}), name);
  EXPECT_EQ(model::int_at(world.told(), {"currentReplicas"}, 0), 3);
}

TEST(StatefulSetPlan, OnDeleteLeavesOldPodsAlone) {
  World world;
  const std::string old_name = world.add_revision(1);
  for (int i = 0; i < 3; ++i) world.add_pod(i, old_name);
  world.change_image("db:2");
  world.add_revision(2, /*current=*/false);
  world.spec()["updateStrategy"] = model::Object{{"type", "OnDelete"}};

  EXPECT_EQ(world.next().write()->subresource, "status");

  world.drop_pod(1);
  EXPECT_EQ(world.wants(), "create pods shop/db-1");
  EXPECT_EQ(model::array_at(world.next().write()->body, {"spec", "containers"})[0].at("image"),
            "db:2");
}

TEST(StatefulSetPlan, GoingBackToAnOldTemplateRenumbersItsRevision) {
  World world;
  world.add_revision(1);
  world.change_image("db:2");
  world.add_revision(2, /*current=*/false);
  world.change_image("db:1");

  const Outcome outcome = world.next();

  ASSERT_TRUE(outcome.write());
  EXPECT_EQ(outcome.write()->verb, control::Write::Verb::Update);
  EXPECT_EQ(model::int_at(outcome.write()->body, {"revision"}, 0), 3);
}

TEST(StatefulSetPlan, NameTakenByOtherDataCountsAsCollision) {
  World world;
  Observed seen = world.seen();
  const std::string first = read_history(seen).create;
  seen.names_taken.emplace(first, json(R"({"spec": {}})"));

  const History history = read_history(seen);

  EXPECT_NE(history.create, first);
  EXPECT_EQ(history.collisions, 1);
}

TEST(StatefulSetPlan, FailedPodIsReplaced) {
  World world;
  const std::string name = world.add_revision(1);
  world.add_pod(0, name, "Failed", false);
  EXPECT_EQ(world.wants(), "delete pods shop/db-0");
}

TEST(StatefulSetPlan, PodOfSomebodyElseInTheWayIsWaitedFor) {
  World world;
  world.add_revision(1);
  Observed seen = world.seen();
  seen.pod_names_taken.insert(0);
  const Outcome outcome = plan(seen);
  EXPECT_TRUE(!outcome.write() || outcome.write()->resource.plural != "pods");
}

TEST(StatefulSetPlan, WaitsUntilAReadyPodIsAvailable) {
  World world;
  world.spec()["minReadySeconds"] = 60;
  world.spec()["replicas"] = 2;
  const std::string name = world.add_revision(1);
  world.add_pod(0, name);
  world.set().as_object()["status"] = world.told();

  const Outcome outcome = world.next();

  EXPECT_EQ(outcome.kind, Outcome::Kind::Wait);
  EXPECT_EQ(outcome.again, std::chrono::seconds(30));
}

TEST(StatefulSetPlan, OldRevisionsBeyondTheLimitGoOnceNothingElseIsToDo) {
  World world;
  for (int i = 1; i <= 4; ++i) {
    world.change_image(fmt::format("db:{}", i));
    world.add_revision(i);
  }
  const std::string name = read_history(world.seen()).update->name;
  for (int i = 0; i < 3; ++i) world.add_pod(i, name);
  world.set().as_object()["status"] = world.told();

  const Outcome outcome = world.next();

  ASSERT_TRUE(outcome.write());
  EXPECT_EQ(outcome.write()->text(),
            "delete controllerrevisions.apps shop/" + world.seen().revisions.front().name);
}

TEST(StatefulSetPlan, SetBeingDeletedMakesNothing) {
  World world;
  world.add_revision(1);
  model::ensure_object(world.set(), {"metadata"})["deletionTimestamp"] = "2026-01-01T00:00:09Z";
  world.set().as_object()["status"] = world.told();

  EXPECT_EQ(world.next().kind, Outcome::Kind::Done);
}

TEST(StatefulSetPlan, RefusedPodDoesNotKeepTheStatusFromBeingTold) {
  World world;
  const std::string name = world.add_revision(1);
  world.add_pod(0, name);
  Observed seen = world.seen();
  seen.refused = true;

  const Outcome outcome = plan(seen);

  EXPECT_EQ(outcome.write()->subresource, "status");
}

class StatefulSetClaims : public testing::Test {
 protected:
  StatefulSetClaims() {
    world_.spec()["volumeClaimTemplates"] = json(kClaimTemplates);
    world_.spec()["replicas"] = 1;
    name_ = world_.add_revision(1);
  }
  void retain(std::string_view when_scaled, std::string_view when_deleted) {
    world_.spec()["persistentVolumeClaimRetentionPolicy"] =
        model::Object{{"whenScaled", when_scaled}, {"whenDeleted", when_deleted}};
  }
  void add_pod(int64_t ordinal, std::string_view phase = "Running") {
    world_.add_pod(ordinal, name_, phase, phase == "Running");
    model::Value& pod = world_.pod(ordinal == 0 ? 0 : 1);
    model::ensure_object(pod, {"spec"})["volumes"] = json(fmt::format(
        R"([{{"name": "data", "persistentVolumeClaim": {{"claimName": "data-db-{}"}}}}])",
        ordinal));
  }
  std::vector<std::string> owners_told() const {
    std::vector<std::string> uids;
    const Outcome outcome = world_.next();
    if (!outcome.write() || outcome.write()->resource.plural != "persistentvolumeclaims")
      return {"no write of a claim"};
    for (const auto& owner :
         model::array_at(outcome.write()->body, {"metadata", "ownerReferences"}))
      uids.emplace_back(model::string_at(owner, {"uid"}));
    return uids;
  }
  World world_;
  std::string name_;
};

TEST_F(StatefulSetClaims, ClaimComesBeforeItsPodAndItsNameIsFixed) {
  const Outcome outcome = world_.next();
  ASSERT_TRUE(outcome.write());
  EXPECT_EQ(outcome.write()->text(), "create persistentvolumeclaims shop/data-db-0");
  EXPECT_EQ(model::string_at(outcome.write()->body, {"metadata", "labels", "app"}), "db");
  EXPECT_EQ(model::find(outcome.write()->body, {"status"}), nullptr);

  world_.add_claim(0);
  const Outcome pod = world_.next();
  EXPECT_EQ(pod.write()->text(), "create pods shop/db-0");
  EXPECT_EQ(model::array_at(pod.write()->body, {"spec", "volumes"}).size(), 1U);
}

TEST_F(StatefulSetClaims, ClaimThatIsGoingHoldsItsPodUp) {
  world_.add_claim(0, {}, /*going=*/true);
  world_.set().as_object()["status"] =
      world_.told().is_null() ? *model::find(world_.set(), {"status"}) : world_.told();

  const Outcome outcome = world_.next();

  EXPECT_EQ(outcome.kind, Outcome::Kind::Wait);
  ASSERT_EQ(outcome.notes.size(), 1U);
  EXPECT_EQ(outcome.notes[0].message,
            "create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted");
}

TEST_F(StatefulSetClaims, RetainedClaimsHaveNoOwner) {
  retain("Retain", "Retain");
  world_.add_claim(0);
  add_pod(0);
  EXPECT_EQ(owners_told(), std::vector<std::string>{"no write of a claim"});
}

TEST_F(StatefulSetClaims, SetOwnsClaimsThatGoWithIt) {
  retain("Retain", "Delete");
  world_.add_claim(0);
  add_pod(0, "Pending");
  EXPECT_EQ(owners_told(), std::vector<std::string>{"set-1"});
}

TEST_F(StatefulSetClaims, PodScaledAwayTakesItsClaimAlong) {
  retain("Delete", "Retain");
  world_.add_claim(0);
  world_.add_claim(1);
  add_pod(0);
  add_pod(1);
  EXPECT_EQ(owners_told(), std::vector<std::string>{"pod-1"});
}

TEST_F(StatefulSetClaims, WithBothTheOwnerChangesFromSetToPod) {
  retain("Delete", "Delete");
  const auto set_owner = json(
      R"([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "set-1",
           "controller": true, "blockOwnerDeletion": true}])");
  world_.add_claim(0, set_owner.as_array());
  world_.add_claim(1, set_owner.as_array());
  add_pod(0);
  add_pod(1);
  EXPECT_EQ(owners_told(), std::vector<std::string>{"pod-1"});
}

TEST_F(StatefulSetClaims, ClaimOfAnEarlierPodHoldsTheNewOneUp) {
  retain("Delete", "Retain");
  world_.add_claim(0, json(R"([{"apiVersion": "v1", "kind": "Pod", "name": "db-0",
                                "uid": "gone", "controller": true}])")
                          .as_array());
  EXPECT_NE(world_.wants(), "create pods shop/db-0");
}

TEST_F(StatefulSetClaims, ClaimOfAnotherControllerIsLeftAlone) {
  retain("Delete", "Delete");
  world_.add_claim(0, json(R"([{"apiVersion": "v1", "kind": "Other", "name": "x", "uid": "other",
                                "controller": true}])")
                          .as_array());
  add_pod(0);
  EXPECT_EQ(owners_told(), std::vector<std::string>{"no write of a claim"});
}

TEST(MemberName, SplitsAtTheLastDashOnly) {
  EXPECT_EQ(member_name("my-db-12").set, "my-db");
  EXPECT_EQ(member_name("my-db-12").ordinal, 12);
  EXPECT_EQ(member_name("my-db").ordinal, -1);
  EXPECT_EQ(member_name("db-99999999999").ordinal, -1);
  EXPECT_EQ(member_name("db-").ordinal, -1);
}

}  // namespace
}  // namespace holdfast::workloads::statefulset
