#include "phases/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::phases {
namespace {

using control::Outcome;

constexpr const char* kMine = "claimRef: {namespace: shop, name: data, uid: c1}";
const std::string kMade = std::string(kProvisionedBy) + ": " + std::string(kDriver);

std::string phase_written(const Seen& seen) {
  const Outcome step = plan(seen);
  return step.write() ? std::string(model::string_at(step.write()->body, {"status", "phase"})) : "";
}

TEST(PhasesPlan, FollowTheClaim) {
  EXPECT_EQ(phase_written({.volume = a_volume("v", "", "phase: Pending")}), "Available");
  EXPECT_EQ(phase_written({.volume = a_volume("v", "claimRef: {namespace: shop, name: data}",
                                              "phase: Pending")}),
            "Available")
      << "reserved for a claim that is not there yet";
  EXPECT_EQ(phase_written({.volume = a_volume("v", kMine), .claim = a_claim("volumeName: v")}),
            "Bound");
  EXPECT_EQ(phase_written({.volume = a_volume("v", kMine, "phase: Bound")}), "Released");
}

TEST(PhasesPlan, AClaimOfTheSameNameIsAnotherClaim) {
  const Seen seen{
      .volume = a_volume("v", "claimRef: {namespace: shop, name: data, uid: c0}", "phase: Bound"),
      .claim = a_claim("volumeName: v")};

  EXPECT_EQ(phase_written(seen), "Released");
}

TEST(PhasesPlan, AFailedVolumeStaysFailed) {
  EXPECT_EQ(plan({.volume = a_volume("v", kMine, "phase: Failed")}).kind, Outcome::Kind::Done);
}

TEST(PhasesPlan, AVolumeWhoseClaimChoseAnotherIsFreeAgain) {
  const Claim elsewhere = a_claim("volumeName: w");
  const Outcome ours = plan(
      {.volume = a_volume("v", kMine, "phase: Bound", std::string(kBoundByController) + ": 'yes'"),
       .claim = elsewhere});
  ASSERT_NE(ours.write(), nullptr);
  EXPECT_TRUE(model::find(ours.write()->body, {"spec", "claimRef"})->is_null());

  const Outcome reserved =
      plan({.volume = a_volume("v", kMine, "phase: Bound"), .claim = elsewhere});
  ASSERT_NE(reserved.write(), nullptr);
  EXPECT_TRUE(model::find(reserved.write()->body, {"spec", "claimRef", "uid"})->is_null())
      << "what a person reserved stays reserved";

  EXPECT_EQ(phase_written({.volume = a_volume(
                               "v", std::string(kMine) + ", persistentVolumeReclaimPolicy: Delete",
                               "phase: Bound", kMade),
                           .claim = elsewhere}),
            "Released")
      << "made for this claim alone";
}

TEST(PhasesPlan, SaysThatModesDoNotFit) {
  const Outcome step =
      plan({.volume = a_volume("v", kMine), .claim = a_claim("volumeMode: Block")});

  ASSERT_EQ(step.notes.size(), 1U);
  EXPECT_EQ(step.notes[0].reason, "VolumeMismatch");
}

}  // namespace
}  // namespace holdfast::volumes::phases
