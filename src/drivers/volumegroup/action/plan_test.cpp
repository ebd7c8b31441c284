// The end of an action: what it holds goes first, in an order that can be taken up after any crash.
#include "action/plan.h"

#include "action/names.h"
#include "action/objects.h"
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

  seen.action.status.conditions = {{"BackupForgotten", "True", "Forgotten", "", "", 1}};
  EXPECT_EQ(text(seen), "delete datamoves.holdfast.dev shop/forget");

  seen.forgetting.reset();
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io shop/run");
}

TEST(ActionEnd, WhateverTheRunHasPutThereGoesByItsTag) {
  ActionSeen seen = leaving();
  seen.action.status.state = State::Error;
  seen.action.status.catalogue.clear();
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io shop/run") << "nothing was uploaded";

  seen.action.status.triggered.emplace();
  seen.action.status.triggered->last = {{.name = "backup", .state = State::Error}};
  const Outcome decision = plan_action(seen, {});

  ASSERT_NE(decision.write(), nullptr);
  const auto move = model::decode_object<protect::DataMove>(decision.write()->body);
  ASSERT_TRUE(move);
  EXPECT_TRUE(move->spec.all_tagged);
  EXPECT_EQ(move->spec.tags, std::vector<std::string>{"vga=u-1"});
  EXPECT_TRUE(move->spec.snapshots.empty()) << "an attempt may have brought what nobody could tell";
}

TEST(ActionEnd, UploadsUnderWayGoBeforeAnythingIsForgotten) {
  ActionSeen seen = leaving();
  seen.action.status.inputs->claims = {{.name = "data"}};
  seen.members.resize(1);
  seen.members[0].move = forgetting(protect::DataMove::Phase::InProgress);
  EXPECT_EQ(text(seen), "delete datamoves.holdfast.dev shop/forget");
}

TEST(ActionEnd, WhatTheLocationDoesNotLetGoIsTriedAgain) {
  ActionSeen seen = leaving();
  seen.now = WallTime(std::chrono::seconds(1767225600));
  seen.forgetting = forgetting(protect::DataMove::Phase::Failed);
  seen.forgetting->move.status.conditions = {
      {"Completed", "False", "MinimumRetention", "too young", "2026-01-01T00:00:00Z", 1}};
  EXPECT_EQ(text(seen), "patch volumegroupactions.longhorn.io/status shop/run");
  const std::string told(model::string_at(
      model::array_at(plan_action(seen, {}).write()->body, {"status", "conditions"}).at(0),
      {"message"}));
  EXPECT_NE(told.find("MinimumRetention: too young"), std::string::npos) << told;

  seen.action.status.conditions = {{"DeletionBlocked", "True", "ForgetFailed", told, "", 0}};
  EXPECT_EQ(plan_action(seen, {}).kind, Outcome::Kind::Wait);
  seen.now += std::chrono::minutes(10);
  EXPECT_EQ(text(seen), "delete datamoves.holdfast.dev shop/forget");
  seen.forgetting.reset();
  EXPECT_TRUE(text(seen).starts_with("create datamoves.holdfast.dev shop/"));
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
