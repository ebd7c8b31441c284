#include "group/plan.h"

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::Outcome;
using control::Write;
using model::string_at;
using model::Value;

GroupSeen seen(State state = State::Pending) {
  GroupSeen out;
  const Value object = model::Object{
      {"apiVersion", "longhorn.io/v1beta2"},
      {"kind", "VolumeGroup"},
      {"metadata",
       model::Object{
           {"namespace", "shop"}, {"name", "db"}, {"uid", "u-1"}, {"resourceVersion", "7"}}},
      {"spec", model::Object{{"group", model::Object{{"kind", "Pod"}}}}}};
  out.object = kube::Cached::from_value(object).take();
  out.ns = "shop";
  out.name = "db";
  out.uid = "u-1";
  out.group.status.state = state;
  out.now = WallTime(std::chrono::seconds(1767225600));
  return out;
}

GroupSeen labelled(const std::string& value, State state = State::Pending) {
  GroupSeen out = seen(state);
  out.label_key = kTrigger;
  out.label = value;
  return out;
}

GroupSeen running(const std::string& request) {
  GroupSeen out = seen(State::Started);
  out.group.status.running = "db-snapshot-x";
  out.group.status.request = request;
  out.action_there = true;
  out.action.status.state = State::Started;
  return out;
}

std::string text(const Outcome& outcome) {
  return outcome.write() != nullptr ? outcome.write()->text() : "";
}

TEST(GroupPlan, RestsWithoutALabel) { EXPECT_EQ(plan_group(seen()).kind, Outcome::Kind::Done); }

TEST(GroupPlan, WritesTheNameOfTheActionDownBeforeItMakesIt) {
  const Outcome first = plan_group(labelled("snapshot"));

  EXPECT_EQ(text(first), "patch volumegroups.longhorn.io/status shop/db");
  const std::string name(string_at(first.write()->body, {"status", "running"}));
  EXPECT_TRUE(name.starts_with("db-snapshot-")) << name;

  GroupSeen next = labelled("snapshot");
  next.group.status.running = name;
  next.group.status.request = "snapshot";
  const Outcome second = plan_group(next);
  EXPECT_EQ(text(second), "create volumegroupactions.longhorn.io shop/" + name);
  EXPECT_EQ(string_at(second.write()->body, {"spec", "action"}), "snapshot");
}

TEST(GroupPlan, EachRunHasAnotherName) {
  GroupSeen second = labelled("snapshot", State::Completed);
  second.group.status.runs = 1;
  EXPECT_NE(string_at(plan_group(labelled("snapshot")).write()->body, {"status", "running"}),
            string_at(plan_group(second).write()->body, {"status", "running"}));
}

TEST(GroupPlan, TakesAnUnknownLabelAwayAndSaysSo) {
  const Outcome out = plan_group(labelled("explode"));

  EXPECT_EQ(text(out), "patch volumegroups.longhorn.io shop/db");
  ASSERT_TRUE(out.write()->note);
  EXPECT_EQ(out.write()->note->reason, "UnknownAction");
  EXPECT_NE(out.write()->note->message.find("explode"), std::string::npos);
}

TEST(GroupPlan, WaitsForAnActionThatRuns) {
  EXPECT_EQ(plan_group(running("snapshot")).kind, Outcome::Kind::Wait);
}

TEST(GroupPlan, TheLabelGoesBeforeTheStateSaysThatItIsOver) {
  GroupSeen over = running("snapshot");
  over.label_key = kTrigger;
  over.label = "snapshot";
  over.action.status.state = State::Completed;

  EXPECT_EQ(text(plan_group(over)), "patch volumegroups.longhorn.io shop/db");

  over.label.clear();
  const Outcome last = plan_group(over);
  EXPECT_EQ(text(last), "patch volumegroups.longhorn.io/status shop/db");
  EXPECT_EQ(string_at(last.write()->body, {"status", "state"}), "Completed");
}

TEST(GroupPlan, AnotherWishMadeMeanwhileStays) {
  GroupSeen over = running("snapshot");
  over.label_key = kTrigger;
  over.label = "backup";
  over.action.status.state = State::Completed;

  EXPECT_EQ(text(plan_group(over)), "patch volumegroups.longhorn.io/status shop/db");
}

TEST(GroupPlan, AnActionThatWasDeletedIsAnError) {
  GroupSeen gone = running("snapshot");
  gone.action_there = false;

  const Outcome out = plan_group(gone);

  EXPECT_EQ(string_at(out.write()->body, {"status", "state"}), "Error");
}

TEST(GroupPlan, ARestoreOfItsActionIsNotItsBusiness) {
  GroupSeen over = running("snapshot");
  over.action.status.state = State::Error;
  over.action.status.conditions = {{"Completed", "True", "SnapshotsTaken", "", "", 1},
                                   {"Restored", "False", "ClaimInUse", "", "", 1}};
  EXPECT_EQ(string_at(plan_group(over).write()->body, {"status", "state"}), "Completed");
}

TEST(GroupPlan, AScheduleThatWasMissedManyTimesIsDoneOnce) {
  GroupSeen due = seen(State::Completed);
  due.group.spec.schedules = {{{.cron = "*/5 * * * *"}, GroupAction::Backup}};
  due.group.status.schedules = {{"backup */5 * * * *", "2025-12-31T20:00:00Z"}};
  due.group.status.conditions = {{"Scheduled", "True", "Waiting", "", "", 0}};

  const Outcome out = plan_group(due);

  EXPECT_TRUE(string_at(out.write()->body, {"status", "running"}).starts_with("db-backup-"));
  EXPECT_EQ(string_at(model::array_at(out.write()->body, {"status", "schedules"}).front(),
                      {"lastScheduled"}),
            "2026-01-01T00:00:00Z");
}

TEST(GroupPlan, AnEditedScheduleBeginsAnewAndTheOthersGoOn) {
  GroupSeen edited = seen(State::Completed);
  edited.group.spec.schedules = {{{.cron = "0 * * * *"}, GroupAction::Snapshot},
                                 {{.cron = "0 3 * * *"}, GroupAction::Backup}};
  edited.group.status.schedules = {{"snapshot 0 * * * *", "2026-01-01T00:00:00Z"},
                                   {"backup 0 2 * * *", "2025-12-31T02:00:00Z"}};
  edited.group.status.conditions = {{"Scheduled", "True", "Waiting", "", "", 0}};

  const Outcome out = plan_group(edited);

  const model::Array& times = model::array_at(out.write()->body, {"status", "schedules"});
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(string_at(times[0], {"lastScheduled"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(string_at(times[1], {"schedule"}), "backup 0 3 * * *");
}

TEST(GroupPlan, ASuspendedScheduleIsNotKept) {
  GroupSeen due = seen(State::Completed);
  due.group.spec.schedules = {{{.cron = "*/5 * * * *", .suspend = true}, GroupAction::Backup}};
  due.group.status.schedules = {{"backup */5 * * * *", "2025-12-31T20:00:00Z"}};
  due.group.status.conditions = {{"Scheduled", "True", "Waiting", "", "", 0}};
  EXPECT_EQ(plan_group(due).write(), nullptr);
}

/// Of that many days ago; its action is named after them.
protect::PointSeen point(int64_t day, bool good, bool forgets = true) {
  protect::PointSeen out;
  const std::string days = std::to_string(day);
  const Value action = model::Object{{"metadata", model::Object{{"namespace", "shop"},
                                                                {"name", "day-" + days},
                                                                {"uid", "u-day-" + days},
                                                                {"resourceVersion", "7"}}}};
  out.object = kube::Cached::from_value(action).take();
  out.point = {WallTime(std::chrono::seconds(1767225600 - 86400 * day)), good, false};
  out.forgets = forgets;
  return out;
}

TEST(GroupPlan, WhatRetentionLetsGoIsDeletedOneByOne) {
  GroupSeen many = seen(State::Completed);
  many.group.spec.retention.snapshot.keep_last = 1;
  many.snapshots = {point(2, true), point(1, true)};
  EXPECT_EQ(text(plan_group(many)), "delete volumegroupactions.longhorn.io shop/day-2");
  EXPECT_EQ(plan_group(many).write()->only.uid, "u-day-2");

  many.snapshots = {point(1, true)};
  EXPECT_EQ(plan_group(many).kind, Outcome::Kind::Done);
}

TEST(GroupPlan, ABackupLeavesTheRepositoryWithItsAction) {
  GroupSeen many = seen(State::Completed);
  many.group.spec.retention.backup.keep_last = 1;
  many.backups = {point(2, true, false), point(1, true, false)};

  const Outcome out = plan_group(many);

  EXPECT_EQ(text(out), "patch volumegroupactions.longhorn.io shop/day-2");
  EXPECT_EQ(string_at(out.write()->body, {"spec", "deletionPolicy"}), "Delete");
}

TEST(GroupPlan, WhatTheLocationKeepsIsToldAndLookedAtAgain) {
  GroupSeen many = seen(State::Completed);
  many.group.spec.retention.backup.keep_last = 1;
  many.backups = {point(2, true), point(1, true)};
  many.backups[0].held = {"MinimumRetention", "until tomorrow"};

  const Outcome out = plan_group(many);

  EXPECT_EQ(text(out), "patch volumegroups.longhorn.io/status shop/db");
  const Value& told = model::array_at(out.write()->body, {"status", "conditions"}).at(0);
  EXPECT_EQ(string_at(told, {"type"}), "RetentionHeld");
  EXPECT_EQ(string_at(told, {"reason"}), "MinimumRetention");
  many.group.status.conditions = {{"RetentionHeld", "True", "MinimumRetention",
                                   std::string(string_at(told, {"message"})), "", 0}};
  EXPECT_EQ(plan_group(many).kind, Outcome::Kind::Wait);
  many.backups[0].held = {};
  EXPECT_EQ(text(plan_group(many)), "delete volumegroupactions.longhorn.io shop/day-2");
  many.backups = {point(1, true)};
  EXPECT_EQ(text(plan_group(many)), "patch volumegroups.longhorn.io/status shop/db")
      << "it holds no more";
}

TEST(GroupPlan, TheLastGoodOneStaysHoweverManyFailed) {
  GroupSeen many = seen(State::Completed);
  many.group.spec.retention.snapshot.keep_last = 1;
  many.snapshots = {point(9, true), point(1, false)};
  EXPECT_EQ(plan_group(many).kind, Outcome::Kind::Done);
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
