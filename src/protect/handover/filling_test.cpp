// Filling of a restore's volumes: where claims come back, what keeps them from it, and its steps.
#include <holdfast/protect/cut/filling.h>

#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect::handover {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

constexpr control::Mark kMark{"holdfast.dev/test", "holdfast.dev/test-of"};
const Owned kOwned{kMark, {"shop", "run", "u-run"}};

ClaimRecord record() {
  ClaimRecord out;
  out.ns = "shop";
  out.name = "data";
  out.size = "2Gi";
  return out;
}

TEST(Filling, AClaimComesBackWhereItWas) {
  Seen seen;
  name_target(record(), std::nullopt, seen);
  EXPECT_EQ(seen.target_ns + "/" + seen.target_name, "shop/data");
  RestoreOptions options{.ns = "trial", .suffix = "-old"};
  name_target(record(), options, seen);
  EXPECT_EQ(seen.target_ns + "/" + seen.target_name, "trial/data");
  options.conflict = RestoreOptions::Conflict::Rename;
  name_target(record(), options, seen);
  EXPECT_EQ(seen.target_name, "data-old");
  options.suffix.clear();
  name_target(record(), options, seen);
  EXPECT_EQ(seen.target_name, "data-restored");
}

TEST(Filling, WhatIsThereAlreadyIsNamedWithItsSize) {
  const ClaimRecord claim = record();
  Seen seen{.staged_name = "staged",
            .target_ns = "shop",
            .target_name = "data",
            .target = Claim{.size = "1Gi"}};
  const auto refused = conflict({{&seen, &claim}}, false);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, "ClaimsExist");
  EXPECT_NE(refused->message.find("shop/data (of 1Gi, the one to be restored has 2Gi)"),
            std::string::npos)
      << refused->message;
  EXPECT_FALSE(conflict({{&seen, &claim}}, true));
  seen.users = {"db-0"};
  EXPECT_EQ(conflict({{&seen, &claim}}, true)->reason, "ClaimInUse");
  EXPECT_EQ(conflict({{&seen, &claim}}, true)->message,
            "in use: data by pod db-0; scale the workload down first");
}

TEST(Filling, AVolumeIsProvenByAPodThatMountsIt) {
  Seen seen{.staged_ns = "shop", .staged_name = "staged"};
  EXPECT_EQ(written(*prove(seen, kOwned, record(), "host", {}).step), "create pods shop/staged");
  seen.prover = cached_object("shop", "staged");
  seen.prover_phase = "Pending";
  EXPECT_EQ(prove(seen, kOwned, record(), "host", {}).step->reason, "Proving");
  seen.prover_phase = "Failed";
  seen.prover_message = "no such device";
  const Filling failed = prove(seen, kOwned, record(), "host", {});
  EXPECT_FALSE(failed.step);
  EXPECT_EQ(failed.trouble.text(),
            "SnapshotNotMountable: the volume made of the snapshot of claim data cannot be used: "
            "no such device");
  seen.prover_phase = "Succeeded";
  const Filling proven = prove(seen, kOwned, record(), "host", {});
  EXPECT_FALSE(proven.step);
  EXPECT_EQ(proven.trouble.reason, "");
}

TEST(Filling, ADownloadIsOverWhenItsMoveHasLetTheVolumeGo) {
  UsedMove move{.object = cached_object("shop", "move")};
  EXPECT_EQ(await_download(move, "data").step->reason, "Downloading");
  move.move.status.phase = DataMove::Phase::Completed;
  EXPECT_FALSE(await_download(move, "data").step);
  move.move.status.phase = DataMove::Phase::Failed;
  EXPECT_EQ(await_download(move, "data").trouble.message,
            "claim data: MoveFailed: the data move did not complete");
}

TEST(Filling, FourWaitAtOnceAndOneThatCanActIsNotKeptFromIt) {
  size_t asked = 0;
  const auto waits = [&](size_t i) -> std::optional<Outcome> {
    ++asked;
    return Outcome::wait(i == 2 ? 500ms : 1s, "Proving");
  };
  EXPECT_EQ(side_by_side(6, waits)->again, 500ms) << "the shortest of them";
  EXPECT_EQ(asked, 4U);
  const auto third_acts = [](size_t i) -> std::optional<Outcome> {
    if (i == 0) return std::nullopt;
    return i < 3 ? Outcome::wait(1s, "Proving") : Outcome::ask("it");
  };
  EXPECT_EQ(side_by_side(6, third_acts)->asked(), "it");
  EXPECT_FALSE(side_by_side(3, [](size_t) { return std::optional<Outcome>(); }));
}

}  // namespace
}  // namespace holdfast::protect::handover
