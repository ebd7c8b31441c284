#include "locations/plan.h"

#include <holdfast/model/time.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using Kind = LocationStep::Kind;

const WallTime kNow = *model::parse_rfc3339("2026-05-01T12:00:00Z");

LocationLook bucket() {
  LocationLook seen;
  seen.ns = "shop";
  seen.name = "here";
  seen.generation = 3;
  seen.location.spec.s3 = BackupLocation::S3{.endpoint = "http://s3", .bucket = "b"};
  seen.location.spec.credential = SecretName{"key"};
  seen.location.spec.password = SecretKey{"password", "password"};
  seen.secret_versions = "7 8";
  seen.now = kNow;
  return seen;
}

/// As it stands after a try with that result.
LocationLook tried(LocationLook seen, const Trial& trial) {
  seen.trial = trial;
  const LocationStep step = plan_location(seen);
  EXPECT_EQ(step.kind, Kind::Report);
  seen.location.status = step.status;
  seen.trial.reset();
  return seen;
}

const Trial kGood{"Answers", "bucket b of http://s3 answers", true};
const Trial kDenied{"AccessDenied", "403", false};

TEST(PlanLocation, ANewOneIsTriedAndSaysSo) {
  LocationLook seen = bucket();
  EXPECT_EQ(plan_location(seen).kind, Kind::Try);

  seen.trial = kGood;
  const LocationStep step = plan_location(seen);

  ASSERT_EQ(step.kind, Kind::Report);
  EXPECT_EQ(step.status.phase, BackupLocation::Phase::Available);
  EXPECT_EQ(step.status.last_checked, "2026-05-01T12:00:00Z");
  ASSERT_EQ(step.status.conditions.size(), 1U);
  EXPECT_EQ(step.status.conditions[0].status, "True");
  EXPECT_EQ(step.status.conditions[0].observed_generation, 3);
  ASSERT_TRUE(step.note);
  EXPECT_FALSE(step.note->warning);
}

TEST(PlanLocation, ItsOwnReportDoesNotMakeItTryAgainBeforeAMinuteIsOver) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow + 20s;
  const LocationStep step = plan_location(seen);
  EXPECT_EQ(step.kind, Kind::Wait);
  EXPECT_EQ(step.again, 40s);

  seen.now = kNow + 60s;
  EXPECT_EQ(plan_location(seen).kind, Kind::Try);
}

TEST(PlanLocation, IsTriedAtOnceWhenItOrASecretHasChanged) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow + 1s;
  seen.secret_versions = "9 8";
  EXPECT_EQ(plan_location(seen).kind, Kind::Try);
  seen.secret_versions = "7 8";
  seen.generation = 4;
  EXPECT_EQ(plan_location(seen).kind, Kind::Try);
}

TEST(PlanLocation, OnlyATurnIsAnEvent) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow + 60s;
  seen.trial = kGood;
  EXPECT_FALSE(plan_location(seen).note);

  seen.trial = kDenied;
  const LocationStep denied = plan_location(seen);
  ASSERT_TRUE(denied.note);
  EXPECT_TRUE(denied.note->warning);
  EXPECT_EQ(denied.note->reason, "AccessDenied");
  EXPECT_EQ(denied.status.phase, BackupLocation::Phase::Unavailable);

  seen = tried(seen, kDenied);
  seen.trial = Trial{"BucketNotFound", "404", false};
  EXPECT_EQ(plan_location(seen).note->reason, "BucketNotFound") << "another reason is a turn too";
}

TEST(PlanLocation, AClockThatWasPutBackDoesNotKeepItUntried) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow - 1h;
  EXPECT_EQ(plan_location(seen).kind, Kind::Try);
}

TEST(PlanLocation, WhatCannotBeTriedIsSaidOnce) {
  const auto reason = [](const LocationLook& seen) {
    const LocationStep step = plan_location(seen);
    EXPECT_EQ(step.kind, Kind::Report);
    LocationLook again = seen;
    again.location.status = step.status;
    EXPECT_EQ(plan_location(again).kind, Kind::None);
    return step.status.conditions.at(0).reason;
  };
  LocationLook both = bucket();
  both.location.spec.file = BackupLocation::File{"/srv"};
  EXPECT_EQ(reason(both), "InvalidSpec");
  LocationLook neither = bucket();
  neither.location.spec.s3.reset();
  EXPECT_EQ(reason(neither), "InvalidSpec");
  LocationLook open = bucket();
  open.location.spec.password.reset();
  EXPECT_EQ(reason(open), "InvalidSpec");
  LocationLook folder = neither;
  folder.location.spec.file = BackupLocation::File{"/srv"};
  EXPECT_EQ(reason(folder), "FileLocationNotAllowed");
  folder.file_allowed = true;
  EXPECT_EQ(reason(folder), "FolderOfNode");
  folder.file_here = true;
  EXPECT_EQ(plan_location(folder).kind, Kind::Try);
}

TEST(PlanLocation, SeveralDefaultsAreToldAndForgottenAgain) {
  LocationLook seen = bucket();
  seen.location.spec.is_default = true;
  seen = tried(seen, kGood);
  EXPECT_EQ(plan_location(seen).kind, Kind::Wait);

  seen.other_defaults = {"there"};
  const LocationStep told = plan_location(seen);
  ASSERT_EQ(told.kind, Kind::Report);
  EXPECT_EQ(told.note->reason, "SeveralDefaults");
  EXPECT_NE(told.note->message.find("there"), std::string::npos);
  seen.location.status = told.status;
  EXPECT_EQ(plan_location(seen).kind, Kind::Wait);

  seen.other_defaults.clear();
  const LocationStep one = plan_location(seen);
  ASSERT_EQ(one.kind, Kind::Report);
  EXPECT_EQ(one.status.conditions.size(), 1U);
}

}  // namespace
}  // namespace holdfast::protect
