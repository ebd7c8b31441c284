#include "provisioning/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::provisioning {
namespace {

using control::Outcome;

const std::string kAsked = std::string(kProvisioner) + ": " + std::string(kDriver);
const std::string kHere = kAsked + ", " + std::string(kSelectedNode) + ": n1";

Seen wanting(Claim claim) {
  Seen seen{.claim = std::move(claim)};
  seen.storage_class = Class{.name = "local",
                             .provisioner = std::string(kDriver),
                             .reclaim = "Delete",
                             .waits = true,
                             .expands = true};
  seen.node = "n1";
  seen.provider = "copy";
  seen.path = "/v/shop/pvc-c1";
  return seen;
}

TEST(ProvisioningPlan, MakesAVolumeOfTheClaimsUidOnTheSelectedNode) {
  const Step step = plan(wanting(a_claim("storageClassName: local", "phase: Pending", kHere)));

  ASSERT_TRUE(step.make);
  const model::Value& volume = step.outcome.write()->body;
  EXPECT_EQ(model::string_at(volume, {"metadata", "name"}), "pvc-c1");
  EXPECT_EQ(model::string_at(volume, {"metadata", "annotations", kProvisionedBy}), kDriver);
  EXPECT_EQ(model::string_at(volume, {"spec", "local", "path"}), "/v/shop/pvc-c1");
  EXPECT_EQ(model::string_at(volume, {"spec", "capacity", "storage"}), "5Gi");
  EXPECT_EQ(model::string_at(volume, {"spec", "claimRef", "uid"}), "c1");
  EXPECT_EQ(model::string_at(volume, {"spec", "persistentVolumeReclaimPolicy"}), "Delete");
  const Result<kube::Cached> made = kube::Cached::from_value(volume);
  ASSERT_TRUE(made);
  EXPECT_TRUE(read_volume(*made).reachable_from("n1"));
  EXPECT_FALSE(read_volume(*made).reachable_from("n2"));
}

TEST(ProvisioningPlan, LeavesWhatIsNotItsOwn) {
  const std::string elsewhere = kAsked + ", " + std::string(kSelectedNode) + ": n2";
  const std::string other =
      std::string(kProvisioner) + ": x.io, " + std::string(kSelectedNode) + ": n1";
  for (const std::string& annotations : {std::string(), kAsked, elsewhere, other}) {
    const Step step =
        plan(wanting(a_claim("storageClassName: local", "phase: Pending", annotations)));
    EXPECT_FALSE(step.make) << annotations;
    EXPECT_EQ(step.outcome.kind, Outcome::Kind::Done) << annotations;
  }
  EXPECT_FALSE(plan(wanting(a_claim("", "phase: Pending", kHere,
                                    ", deletionTimestamp: '2026-01-01T00:00:00Z'")))
                   .make);
}

TEST(ProvisioningPlan, AClassThatDoesNotWaitNeedsNoNode) {
  Seen seen = wanting(a_claim("storageClassName: local", "phase: Pending", kAsked));
  seen.storage_class->waits = false;

  EXPECT_TRUE(plan(seen).make);
}

TEST(ProvisioningPlan, RefusesWhatAFolderCannotBe) {
  for (const char* spec :
       {"volumeMode: Block", "accessModes: [ReadWriteMany]", "selector: {matchLabels: {a: b}}"}) {
    const Step step = plan(wanting(a_claim(spec, "phase: Pending", kHere)));
    EXPECT_FALSE(step.make) << spec;
    EXPECT_EQ(step.outcome.kind, Outcome::Kind::Stop) << spec;
    ASSERT_EQ(step.outcome.notes.size(), 1U) << spec;
    EXPECT_EQ(step.outcome.notes[0].reason, "ProvisioningFailed");
  }
}

TEST(ProvisioningPlan, AVolumeThatIsThereIsNotMadeAgain) {
  Seen seen = wanting(a_claim("", "phase: Pending", kHere));
  seen.volume = a_volume("pvc-c1", "capacity: {storage: 5Gi}");

  EXPECT_FALSE(plan(seen).make);
}

TEST(ProvisioningPlan, GrowsTheVolumeThenTellsTheClaim) {
  const std::string made = std::string(kProvisionedBy) + ": " + std::string(kDriver);
  const std::string mine = "claimRef: {namespace: shop, name: data, uid: c1}, capacity: ";
  Seen seen =
      wanting(a_claim("volumeName: pvc-c1", "phase: Bound, capacity: {storage: 1Gi}", kHere));
  seen.volume = a_volume("pvc-c1", mine + "{storage: 1Gi}", "phase: Bound", made);
  Step step = plan(seen);
  ASSERT_NE(step.outcome.write(), nullptr);
  EXPECT_EQ(model::string_at(step.outcome.write()->body, {"spec", "capacity", "storage"}), "5Gi");

  seen.volume = a_volume("pvc-c1", mine + "{storage: 5Gi}", "phase: Bound", made);
  step = plan(seen);
  ASSERT_NE(step.outcome.write(), nullptr);
  EXPECT_EQ(model::string_at(step.outcome.write()->body, {"status", "capacity", "storage"}), "5Gi");

  seen.claim = a_claim("volumeName: pvc-c1", "phase: Bound, capacity: {storage: 5Gi}", kHere);
  EXPECT_EQ(plan(seen).outcome.kind, Outcome::Kind::Done);
}

}  // namespace
}  // namespace holdfast::volumes::provisioning
