#include "locations/plan.h"

#include <holdfast/model/time.h>

#include "locations/trial.h"
#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Kind = Outcome::Kind;

const WallTime kNow = *model::parse_rfc3339("2026-05-01T12:00:00Z");

LocationLook bucket() {
  LocationLook seen;
  seen.ns = "shop";
  seen.name = "here";
  seen.object = cached_object("shop", "here");
  seen.generation = 3;
  seen.location.spec.s3 = BackupLocation::S3{.endpoint = "http://s3", .bucket = "b"};
  seen.location.spec.credential = SecretName{"key"};
  seen.location.spec.password = SecretKey{"password", "password"};
  seen.now = kNow;
  return seen;
}

/// As it stands after a try with that result.
LocationLook tried(LocationLook seen, const Trial& trial) {
  seen.trial = trial;
  seen.location.status = status_after(seen.location, plan_location(seen));
  seen.trial.reset();
  return seen;
}

const Trial kGood{"Answers", "bucket b of http://s3 answers", true};
const Trial kDenied{"AccessDenied", "403", false};

TEST(PlanLocation, ANewOneIsTriedAndSaysSo) {
  LocationLook seen = bucket();
  EXPECT_EQ(plan_location(seen).asked(), kTry);

  seen.trial = kGood;
  const Outcome step = plan_location(seen);

  const BackupLocation::Status status = status_after(seen.location, step);
  EXPECT_EQ(status.phase, BackupLocation::Phase::Available);
  EXPECT_EQ(status.last_checked, "2026-05-01T12:00:00Z");
  ASSERT_EQ(status.conditions.size(), 1U);
  EXPECT_EQ(status.conditions[0].status, "True");
  EXPECT_EQ(status.conditions[0].observed_generation, 3);
  EXPECT_EQ(noted(step).reason, "Answers");
  EXPECT_FALSE(noted(step).warning);
}

TEST(PlanLocation, OneThatAnswersIsNotAvailableIfItsRepositoryIsGone) {
  LocationLook seen = tried(bucket(), kGood);
  seen.lost = {"RepositoryNotFound", "Repository shop/here-shop: it is not there"};

  seen.location.status = status_after(seen.location, plan_location(seen));

  EXPECT_EQ(seen.location.status.phase, BackupLocation::Phase::Unavailable);
  EXPECT_EQ(seen.location.status.conditions[0].reason, "RepositoryNotFound");
  EXPECT_EQ(plan_location(seen).kind, Kind::Wait) << "it goes on being tried";
  seen.now += 60s;
  EXPECT_EQ(plan_location(seen).asked(), kTry);
  seen = tried(seen, kGood);
  EXPECT_EQ(seen.location.status.conditions[0].reason, "RepositoryNotFound");
  seen = tried(seen, kDenied);
  EXPECT_EQ(seen.location.status.conditions[0].reason, "AccessDenied") << "that comes first";
  seen.lost = {};
  seen = tried(seen, kGood);
  EXPECT_EQ(seen.location.status.phase, BackupLocation::Phase::Available);
}

TEST(PlanLocation, AFolderIsKnownByItsMarker) {
  LocationLook seen = bucket();
  Trial folder = kGood;
  folder.marker = "0123";
  seen = tried(seen, folder);
  EXPECT_EQ(seen.location.status.marker, "0123");
  seen = tried(seen, {"MarkerNotFound", "is its disk mounted?", false});
  EXPECT_EQ(seen.location.status.marker, "0123") << "it is remembered";
}

TEST(PlanLocation, AMinimumRetentionThatDoesNotParseIsRefused) {
  LocationLook seen = bucket();
  seen.location.spec.minimum_retention = "soon";
  const BackupLocation::Status status = status_after(seen.location, plan_location(seen));
  EXPECT_EQ(status.conditions[0].reason, "InvalidSpec");
  EXPECT_NE(status.conditions[0].message.find("spec.minimumRetention"), std::string::npos);
}

TEST(PlanLocation, ItsOwnReportDoesNotMakeItTryAgainBeforeAMinuteIsOver) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow + 20s;
  const Outcome step = plan_location(seen);
  EXPECT_EQ(step.kind, Kind::Wait);
  EXPECT_EQ(step.again, 40s);

  seen.now = kNow + 60s;
  EXPECT_EQ(plan_location(seen).asked(), kTry);
}

TEST(PlanLocation, IsTriedAtOnceWhenItHasChanged) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow + 1s;
  seen.generation = 4;
  EXPECT_EQ(plan_location(seen).asked(), kTry);
}

TEST(PlanLocation, TellsWhichSecretsItWasTriedWith) {
  Trial trial = kGood;
  trial.secret_versions = "7 8";
  EXPECT_EQ(tried(bucket(), trial).location.status.secret_versions, "7 8");
}

// Nobody tells when a Secret is made or mended.
TEST(PlanLocation, OneThatLacksASecretIsTriedSoonAndTheLongerItLacksItTheLater) {
  LocationLook seen = tried(bucket(), Trial{"SecretNotFound", "key is not there", false});
  EXPECT_EQ(plan_location(seen).again, 2s);
  seen.now = kNow + 2s;
  EXPECT_EQ(plan_location(seen).asked(), kTry);

  seen.location.status.last_checked = "2026-05-01T12:01:20Z";
  seen.now = kNow + 80s;
  EXPECT_EQ(plan_location(seen).again, 20s);
  seen.location.status.last_checked = "2026-05-01T14:00:00Z";
  seen.now = kNow + 2h;
  EXPECT_EQ(plan_location(seen).again, 60s);
}

TEST(PlanLocation, OnlyATurnIsAnEvent) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow + 60s;
  seen.trial = kGood;
  const Outcome same = plan_location(seen);
  EXPECT_EQ(written(same), "patch backuplocations.holdfast.dev/status shop/here");
  EXPECT_EQ(noted(same).reason, "");

  seen.trial = kDenied;
  const Outcome denied = plan_location(seen);
  EXPECT_TRUE(noted(denied).warning);
  EXPECT_EQ(noted(denied).reason, "AccessDenied");
  EXPECT_EQ(status_after(seen.location, denied).phase, BackupLocation::Phase::Unavailable);

  seen = tried(seen, kDenied);
  seen.trial = Trial{"BucketNotFound", "404", false};
  EXPECT_EQ(noted(plan_location(seen)).reason, "BucketNotFound") << "another reason is a turn too";
}

TEST(PlanLocation, AClockThatWasPutBackDoesNotKeepItUntried) {
  LocationLook seen = tried(bucket(), kGood);
  seen.now = kNow - 1h;
  EXPECT_EQ(plan_location(seen).asked(), kTry);
}

TEST(PlanLocation, WhatCannotBeTriedIsSaidOnce) {
  const auto reason = [](const LocationLook& seen) {
    LocationLook again = seen;
    again.location.status = status_after(seen.location, plan_location(seen));
    EXPECT_EQ(plan_location(again).kind, Kind::Done);
    return again.location.status.conditions.at(0).reason;
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
  EXPECT_EQ(plan_location(folder).asked(), kTry);
}

TEST(PlanLocation, AFolderOfANodeIsLeftToTheMoverAndItsSecretsAreNot) {
  LocationLook seen = bucket();
  seen.location.spec.s3.reset();
  seen.location.spec.credential.reset();
  seen.location.spec.file = BackupLocation::File{"/srv"};
  seen.file_allowed = true;
  const auto look = [&](const SecretEntries& password) {
    return try_location(seen, open_secrets("shop", seen.location.spec, {}, password), {});
  };

  EXPECT_EQ(look({}).reason, "SecretNotFound");
  const BackupLocation::Status status = tried(seen, look({{{"password", "x"}}})).location.status;
  EXPECT_EQ(status.conditions.at(0).status, "Unknown");
  EXPECT_EQ(status.conditions.at(0).reason, "FolderOfNode");
  EXPECT_FALSE(status.phase);
}

TEST(PlanLocation, SeveralDefaultsAreToldAndForgottenAgain) {
  LocationLook seen = bucket();
  seen.location.spec.is_default = true;
  seen = tried(seen, kGood);
  EXPECT_EQ(plan_location(seen).kind, Kind::Wait);

  seen.other_defaults = {"there"};
  const Outcome told = plan_location(seen);
  EXPECT_EQ(noted(told).reason, "SeveralDefaults");
  EXPECT_NE(noted(told).message.find("there"), std::string::npos);
  seen.location.status = status_after(seen.location, told);
  EXPECT_EQ(plan_location(seen).kind, Kind::Wait);

  seen.other_defaults.clear();
  EXPECT_EQ(status_after(seen.location, plan_location(seen)).conditions.size(), 1U);
}

}  // namespace
}  // namespace holdfast::protect
