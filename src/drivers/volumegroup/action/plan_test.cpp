// The end of an action: what it holds goes first, in an order that can be taken up after any crash.
#include "action/plan.h"

#include "action/names.h"
#include "action/objects_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::Outcome;

/// A backup that is being deleted and is to leave the repository.
ActionSeen leaving() {
  ActionSeen out;
  out.object = object("VolumeGroupAction", "run");
  out.ns = "shop";
  out.name = "run";
  out.uid = "u-1";
  out.deleting = out.has_finalizer = true;
  out.action.spec.action = GroupAction::Backup;
  out.action.spec.deletion_policy = VolumeGroupAction::Deletion::Delete;
  out.action.status.state = State::Completed;
  out.action.status.inputs.emplace();
  out.action.status.inputs->ns = "shop";
  out.action.status.catalogue = "1a2b";
  return out;
}

UsedMove forgetting(protect::DataMove::Phase phase) {
  UsedMove out;
  out.object = object("DataMove", "forget");
  out.move.status.phase = phase;
  return out;
}

std::string text(const ActionSeen& seen) {
  const Outcome decision = plan_action(seen, {});
  return decision.write() == nullptr ? "" : decision.write()->text();
}

TEST(ActionEnd, TheBackupIsForgottenBeforeTheObjectGoes) {
  EXPECT_TRUE(text(leaving()).starts_with("create datamoves.holdfast.dev shop/"));
}

TEST(ActionEnd, ThatItIsForgottenIsWrittenDownBeforeTheMoveGoes) {
  ActionSeen seen = leaving();
  seen.forgetting = forgetting(protect::DataMove::Phase::Completed);
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io/status shop/run");

  seen.action.status.catalogue.clear();
  EXPECT_EQ(text(seen), "delete datamoves.holdfast.dev shop/forget");

  seen.forgetting.reset();
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io shop/run");
}

TEST(ActionEnd, WhatAFailedUploadLeftInTheRepositoryGoesToo) {
  ActionSeen seen = leaving();
  seen.action.status.state = State::Error;
  seen.action.status.catalogue.clear();
  seen.action.status.inputs->claims = {{.name = "data", .snapshot_id = "3c4d"}, {.name = "logs"}};
  const Outcome decision = plan_action(seen, {});
  ASSERT_NE(decision.write(), nullptr);
  EXPECT_EQ(model::to_json(*model::find(decision.write()->body, {"spec", "snapshots"})),
            R"(["3c4d"])");

  seen.forgetting = forgetting(protect::DataMove::Phase::Completed);
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io/status shop/run");
  seen.action.status.inputs->claims[0].snapshot_id.clear();
  EXPECT_EQ(text(seen), "delete datamoves.holdfast.dev shop/forget");
}

TEST(ActionEnd, WhatAnUploadUnderWayBroughtThereIsWrittenDownFirst) {
  ActionSeen seen = leaving();
  seen.action.status.catalogue.clear();
  seen.action.status.inputs->claims = {{.name = "data"}};
  seen.members.resize(1);
  seen.members[0].move = forgetting(protect::DataMove::Phase::Completed);
  seen.members[0].move->move.status.snapshot_id = "3c4d";
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io/status shop/run");

  seen.action.status.inputs->claims[0].snapshot_id = "3c4d";
  EXPECT_TRUE(text(seen).starts_with("create datamoves.holdfast.dev shop/"));
  // Forgotten, and not to be noted again although the move is still there.
  seen.action.status.inputs->claims[0].snapshot_id.clear();
  seen.forgetting = forgetting(protect::DataMove::Phase::Completed);
  EXPECT_TRUE(text(seen).starts_with("delete datamoves.holdfast.dev shop/"));
}

TEST(ActionEnd, ABackupThatIsToStayIsNotForgotten) {
  ActionSeen seen = leaving();
  seen.action.spec.deletion_policy.reset();
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io shop/run");
}

// Objects in clusters have these names: another one, and nothing is found again.
TEST(Names, OfWhatIsMadeStayWhatTheyWere) {
  EXPECT_EQ(made_name("u1", "c1", "snapshot"), "volume-group-action-342bec5d33ea75c9");
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
