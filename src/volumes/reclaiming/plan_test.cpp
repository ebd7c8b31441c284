#include "reclaiming/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::reclaiming {
namespace {

using control::Outcome;

const std::string kMade = std::string(kProvisionedBy) + ": " + std::string(kDriver);
constexpr const char* kDelete = "persistentVolumeReclaimPolicy: Delete";

Seen of(Volume volume) { return {.volume = std::move(volume), .node = "n1"}; }

TEST(ReclaimingPlan, RemovesTheFolderThenTheVolumeThenItsFinalizer) {
  Seen seen = of(a_volume("v", kDelete, "phase: Released", kMade));
  EXPECT_EQ(plan(seen).asked(), kRemoveFolder);
  seen.removed = ok();
  EXPECT_EQ(plan(seen).write()->text(), "delete persistentvolumes v");

  const std::string going = ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [" +
                            std::string(kVolumeFinalizer) + "]";
  seen = of(a_volume("v", kDelete, "phase: Released", kMade, going));
  EXPECT_EQ(plan(seen).asked(), kRemoveFolder) << "a crash in between must not leave it";
  seen.removed = ok();
  EXPECT_EQ(plan(seen).write()->text(), "patch persistentvolumes v");
}

TEST(ReclaimingPlan, KeepsTheVolumeWhileItsFolderStays) {
  Seen seen = of(a_volume("v", kDelete, "phase: Released", kMade));
  seen.removed = Error(Fault::Unavailable, "busy");

  const Outcome outcome = plan(seen);

  EXPECT_EQ(outcome.kind, Outcome::Kind::Wait);
  ASSERT_EQ(outcome.notes.size(), 1U);
  EXPECT_EQ(outcome.notes[0].reason, "VolumeFailedDelete");
}

TEST(ReclaimingPlan, KeepsWhatIsInUseRetainedOrNotOurs) {
  const std::string elsewhere =
      std::string(kDelete) +
      ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
      "kubernetes.io/hostname, operator: In, values: [n2]}]}]}}";
  for (const Volume& volume :
       {a_volume("bound", kDelete, "phase: Bound", kMade),
        a_volume("failed", kDelete, "phase: Failed", kMade),
        a_volume("retained", "persistentVolumeReclaimPolicy: Retain", "phase: Released", kMade),
        a_volume("foreign", kDelete, "phase: Released"),
        a_volume("elsewhere", elsewhere, "phase: Released", kMade)}) {
    EXPECT_EQ(plan(of(volume)).kind, Outcome::Kind::Done) << volume.name;
  }
}

}  // namespace
}  // namespace holdfast::volumes::reclaiming
