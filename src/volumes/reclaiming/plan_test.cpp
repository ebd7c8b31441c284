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
  Step step = plan(of(a_volume("v", kDelete, "phase: Released", kMade)));
  EXPECT_TRUE(step.remove);
  EXPECT_EQ(step.outcome.write()->verb, control::Write::Verb::Delete);

  const std::string going = ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [" +
                            std::string(kVolumeFinalizer) + "]";
  step = plan(of(a_volume("v", kDelete, "phase: Released", kMade, going)));
  EXPECT_TRUE(step.remove) << "a crash in between must not leave it";
  EXPECT_NE(step.outcome.write(), nullptr);
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
    const Step step = plan(of(volume));
    EXPECT_FALSE(step.remove) << volume.name;
    EXPECT_EQ(step.outcome.kind, Outcome::Kind::Done) << volume.name;
  }
}

}  // namespace
}  // namespace holdfast::volumes::reclaiming
