#include "binding/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::binding {
namespace {

using control::Outcome;

constexpr const char* kFive = "capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce]";
constexpr const char* kTen = "capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce]";

Class local(bool waits) {
  return {
      .name = "local", .provisioner = std::string(kDriver), .reclaim = "Delete", .waits = waits};
}

const model::Value& body(const Outcome& outcome) {
  static const model::Value none;
  EXPECT_EQ(outcome.kind, Outcome::Kind::Act);
  return outcome.write() ? outcome.write()->body : none;
}

std::string reason(const Outcome& outcome) {
  return outcome.notes.empty() ? "" : outcome.notes[0].reason;
}

TEST(BestMatch, IsTheSmallestThatFits) {
  Seen seen{.claim = a_claim("")};
  seen.volumes = {a_volume("ten", kTen), a_volume("five", kFive),
                  a_volume("four", "capacity: {storage: 4Gi}, accessModes: [ReadWriteOnce]")};

  ASSERT_NE(best_match(seen), nullptr);
  EXPECT_EQ(best_match(seen)->name, "five");
}

TEST(BestMatch, HasTheFewestOtherModesBeforeTheSmallestSize) {
  Seen seen{.claim = a_claim("")};
  seen.volumes = {
      a_volume("many", "capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce, ReadWriteMany]"),
      a_volume("one", kTen)};

  ASSERT_NE(best_match(seen), nullptr);
  EXPECT_EQ(best_match(seen)->name, "one");
}

TEST(BestMatch, PassesOverWhatDoesNotFit) {
  Seen seen{.claim = a_claim("selector: {matchLabels: {disk: ssd}}")};
  const std::string label = ", labels: {disk: ssd}";
  const std::string sized = std::string(kFive) + ", ";
  seen.volumes = {
      a_volume("class", sized + "storageClassName: other", "phase: Available", "", label),
      a_volume("block", sized + "volumeMode: Block", "phase: Available", "", label),
      a_volume("taken", sized + "claimRef: {namespace: shop, name: x, uid: c9}", "phase: Bound", "",
               label),
      a_volume("released", sized, "phase: Released", "", label),
      a_volume("going", sized, "phase: Available", "",
               label + ", deletionTimestamp: '2026-01-01T00:00:00Z'"),
      a_volume("unlabelled", kFive)};

  EXPECT_EQ(best_match(seen), nullptr);

  seen.volumes.push_back(a_volume("fits", kFive, "phase: Available", "", label));
  ASSERT_NE(best_match(seen), nullptr);
  EXPECT_EQ(best_match(seen)->name, "fits");
}

TEST(BestMatch, IsWhatWasReservedForTheClaimByName) {
  Seen seen{.claim = a_claim("")};
  seen.volumes = {
      a_volume("five", kFive),
      a_volume("reserved", std::string(kTen) + ", claimRef: {namespace: shop, name: data}")};

  ASSERT_NE(best_match(seen), nullptr);
  EXPECT_EQ(best_match(seen)->name, "reserved");
}

TEST(BestMatch, LiesOnTheSelectedNodeWhereTheClassWaits) {
  const std::string here =
      ", storageClassName: local, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
      "[{key: kubernetes.io/hostname, operator: In, values: [n1]}]}]}}";
  Seen seen{.claim = a_claim("storageClassName: local"), .storage_class = local(true)};
  seen.volumes = {a_volume("on-n1", kFive + here)};
  EXPECT_EQ(best_match(seen), nullptr) << "no consumer yet";

  seen.claim =
      a_claim("storageClassName: local", "phase: Pending", std::string(kSelectedNode) + ": n2");
  EXPECT_EQ(best_match(seen), nullptr) << "on another node";

  seen.claim =
      a_claim("storageClassName: local", "phase: Pending", std::string(kSelectedNode) + ": n1");
  EXPECT_NE(best_match(seen), nullptr);
}

TEST(BindingPlan, WritesVolumeThenPhaseThenClaimThenStatus) {
  Seen seen{.claim = a_claim("")};
  seen.volumes = {a_volume("five", kFive)};

  Outcome step = plan(seen);
  EXPECT_EQ(model::string_at(body(step), {"spec", "claimRef", "uid"}), "c1");
  EXPECT_EQ(model::string_at(body(step), {"metadata", "annotations", kBoundByController}), "yes");

  const std::string bound =
      std::string(kFive) + ", claimRef: {namespace: shop, name: data, uid: c1}";
  seen.volumes = {a_volume("five", bound)};
  step = plan(seen);
  EXPECT_EQ(model::string_at(body(step), {"status", "phase"}), "Bound");
  EXPECT_EQ(step.write()->key.name, "five");

  seen.volumes = {a_volume("five", bound, "phase: Bound")};
  step = plan(seen);
  EXPECT_EQ(model::string_at(body(step), {"spec", "volumeName"}), "five");
  EXPECT_EQ(model::string_at(body(step), {"metadata", "annotations", kBindCompleted}), "yes");

  const std::string done = std::string(kBindCompleted) + ": 'yes'";
  seen.claim = a_claim("volumeName: five", "phase: Pending", done);
  seen.named = seen.volumes[0];
  step = plan(seen);
  EXPECT_EQ(model::string_at(body(step), {"status", "capacity", "storage"}), "5Gi");

  seen.claim = a_claim("volumeName: five", "phase: Bound", done);
  EXPECT_EQ(plan(seen).kind, Outcome::Kind::Done);
}

TEST(BindingPlan, KeepsTheReservationThatAPersonMade) {
  Seen seen{.claim = a_claim("")};
  seen.volumes = {
      a_volume("five", std::string(kFive) + ", claimRef: {namespace: shop, name: data}")};

  const Outcome step = plan(seen);

  EXPECT_EQ(model::string_at(body(step), {"spec", "claimRef", "uid"}), "c1");
  EXPECT_EQ(model::find(body(step), {"metadata", "annotations"}), nullptr);
}

TEST(BindingPlan, WaitsForAConsumerThenAsksTheProvisioner) {
  Seen seen{.claim = a_claim("storageClassName: local"), .storage_class = local(true)};
  EXPECT_EQ(plan(seen).kind, Outcome::Kind::Done);
  EXPECT_EQ(reason(plan(seen)), "WaitForFirstConsumer");

  seen.claim =
      a_claim("storageClassName: local", "phase: Pending", std::string(kSelectedNode) + ": n1");
  const Outcome step = plan(seen);
  EXPECT_EQ(model::string_at(body(step), {"metadata", "annotations", kProvisioner}), kDriver);

  seen.claim = a_claim("storageClassName: local", "phase: Pending",
                       std::string(kSelectedNode) + ": n1, " + std::string(kProvisioner) + ": " +
                           std::string(kDriver));
  EXPECT_EQ(reason(plan(seen)), "ExternalProvisioning");
}

TEST(BindingPlan, SaysWhyAClaimStaysPending) {
  EXPECT_EQ(reason(plan({.claim = a_claim("")})), "FailedBinding");

  const Outcome no_class = plan({.claim = a_claim("storageClassName: gone")});
  EXPECT_EQ(reason(no_class), "ProvisioningFailed");
  EXPECT_EQ(no_class.notes[0].message, "storageclass.storage.k8s.io \"gone\" not found");

  Seen small{.claim = a_claim("volumeName: four")};
  small.named = a_volume("four", "capacity: {storage: 4Gi}, accessModes: [ReadWriteOnce]");
  EXPECT_EQ(reason(plan(small)), "VolumeMismatch");
  EXPECT_EQ(plan(small).notes[0].message,
            "Cannot bind to requested volume \"four\": requested PV is too small");

  Seen taken{.claim = a_claim("volumeName: five")};
  taken.named =
      a_volume("five", std::string(kFive) + ", claimRef: {namespace: a, name: b, uid: c9}");
  EXPECT_EQ(plan(taken).notes[0].message, "volume \"five\" already bound to a different claim.");
}

TEST(BindingPlan, ABoundClaimWithoutItsVolumeIsLost) {
  const std::string done = std::string(kBindCompleted) + ": 'yes'";
  Seen seen{.claim = a_claim("volumeName: five", "phase: Bound", done)};
  EXPECT_EQ(model::string_at(body(plan(seen)), {"status", "phase"}), "Lost");
  EXPECT_EQ(reason(plan(seen)), "ClaimLost");

  seen.named =
      a_volume("five", std::string(kFive) + ", claimRef: {namespace: a, name: b, uid: c9}");
  EXPECT_EQ(reason(plan(seen)), "ClaimMisbound");

  seen.claim = a_claim("volumeName: five", "phase: Lost", done);
  EXPECT_EQ(plan(seen).kind, Outcome::Kind::Done) << "said once";
}

TEST(BindingPlan, AClaimThatGoesIsNotBound) {
  Seen seen{.claim =
                a_claim("", "phase: Pending", "", ", deletionTimestamp: '2026-01-01T00:00:00Z'")};
  seen.volumes = {a_volume("five", kFive)};

  EXPECT_EQ(plan(seen).kind, Outcome::Kind::Done);
}

TEST(BindingPlan, AClaimFromBeforeTheDefaultClassIsGivenIt) {
  Seen seen{.claim = a_claim(""), .default_class = "local"};

  EXPECT_EQ(model::string_at(body(plan(seen)), {"spec", "storageClassName"}), "local");

  seen.claim = a_claim("storageClassName: ''");
  EXPECT_EQ(reason(plan(seen)), "FailedBinding") << "no class is what it asks for";
  seen.claim = a_claim("");
  seen.volumes = {a_volume("five", kFive)};
  EXPECT_NE(model::find(body(plan(seen)), {"spec", "claimRef"}), nullptr) << "what is there first";
  seen.volumes.clear();
  seen.default_class = "";
  EXPECT_EQ(reason(plan(seen)), "FailedBinding");
}

}  // namespace
}  // namespace holdfast::volumes::binding
