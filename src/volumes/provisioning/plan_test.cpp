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
  Seen seen = wanting(a_claim("storageClassName: local", "phase: Pending", kHere));
  ASSERT_EQ(plan(seen).asked(), kMakeFolder);
  seen.made = ok();
  const Outcome outcome = plan(seen);
  ASSERT_NE(outcome.write(), nullptr);
  const model::Value& volume = outcome.write()->body;
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
    const Outcome outcome =
        plan(wanting(a_claim("storageClassName: local", "phase: Pending", annotations)));
    EXPECT_EQ(outcome.kind, Outcome::Kind::Done) << annotations;
  }
  EXPECT_EQ(plan(wanting(a_claim("", "phase: Pending", kHere,
                                 ", deletionTimestamp: '2026-01-01T00:00:00Z'")))
                .kind,
            Outcome::Kind::Done);
}

TEST(ProvisioningPlan, AClassThatDoesNotWaitNeedsNoNode) {
  Seen seen = wanting(a_claim("storageClassName: local", "phase: Pending", kAsked));
  seen.storage_class->waits = false;

  EXPECT_EQ(plan(seen).asked(), kMakeFolder);
}

TEST(ProvisioningPlan, RefusesWhatAFolderCannotBe) {
  for (const char* spec :
       {"volumeMode: Block", "accessModes: [ReadWriteMany]", "selector: {matchLabels: {a: b}}"}) {
    const Outcome outcome = plan(wanting(a_claim(spec, "phase: Pending", kHere)));
    EXPECT_EQ(outcome.kind, Outcome::Kind::Stop) << spec;
    ASSERT_EQ(outcome.notes.size(), 1U) << spec;
    EXPECT_EQ(outcome.notes[0].reason, "ProvisioningFailed");
  }
}

TEST(ProvisioningPlan, TellsOfAFolderThatCannotBeMadeAndTriesAgain) {
  Seen seen = wanting(a_claim("", "phase: Pending", kHere));
  seen.made = Error(Fault::Unavailable, "no room");

  const Outcome outcome = plan(seen);

  EXPECT_EQ(outcome.kind, Outcome::Kind::Wait);
  ASSERT_EQ(outcome.notes.size(), 1U);
  EXPECT_EQ(outcome.notes[0].message,
            "failed to provision volume with StorageClass \"local\": no room");
}

TEST(ProvisioningPlan, AVolumeThatIsThereIsNotMadeAgain) {
  Seen seen = wanting(a_claim("", "phase: Pending", kHere));
  seen.volume = a_volume("pvc-c1", "capacity: {storage: 5Gi}");

  EXPECT_EQ(plan(seen).reason, "Provisioned");
}

TEST(ProvisioningPlan, GrowsTheVolumeThenTellsTheClaim) {
  const std::string made = std::string(kProvisionedBy) + ": " + std::string(kDriver);
  const std::string mine = "claimRef: {namespace: shop, name: data, uid: c1}, capacity: ";
  Seen seen =
      wanting(a_claim("volumeName: pvc-c1", "phase: Bound, capacity: {storage: 1Gi}", kHere));
  seen.volume = a_volume("pvc-c1", mine + "{storage: 1Gi}", "phase: Bound", made);
  Outcome outcome = plan(seen);
  ASSERT_NE(outcome.write(), nullptr);
  EXPECT_EQ(model::string_at(outcome.write()->body, {"spec", "capacity", "storage"}), "5Gi");

  seen.volume = a_volume("pvc-c1", mine + "{storage: 5Gi}", "phase: Bound", made);
  outcome = plan(seen);
  ASSERT_NE(outcome.write(), nullptr);
  EXPECT_EQ(model::string_at(outcome.write()->body, {"status", "capacity", "storage"}), "5Gi");

  seen.claim = a_claim("volumeName: pvc-c1", "phase: Bound, capacity: {storage: 5Gi}", kHere);
  EXPECT_EQ(plan(seen).kind, Outcome::Kind::Done);
}

}  // namespace
}  // namespace holdfast::volumes::provisioning
