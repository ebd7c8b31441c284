// Movers at work: what they report is passed on, and who stands still is ended.
#include "moves/attempts.h"

#include "moves/asked.h"
#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Kind = Outcome::Kind;

/// A mover that runs since 10 minutes.
struct AtWork : testing::Test {
  AtWork() {
    seen.ns = seen.mover_ns = seen.volume_ns = seen.repository = "shop";
    seen.name = "nightly";
    seen.uid = "u-move";
    seen.move.spec.volume = DataMove::Volume{.claim = "data"};
    record_asked(seen.move, seen.move.status);
    seen.move.status.phase = DataMove::Phase::InProgress;
    seen.move.status.attempts = 1;
    seen.move.status.mover = pod.name = "nightly-1";
    seen.location = LocationSeen{"shop", "here", "", {}, 1};
    seen.location->location.spec.s3 = BackupLocation::S3{.bucket = "b"};
    seen.object = cached_object("shop", "nightly");
    seen.now = WallTime(1'000'000s);
    seen.mover_object = MoverObject{cached_object("shop", "mover"), {}};
    pod.attempt = 1;
    pod.phase = "Running";
    pod.pod = cached_object("shop", pod.name);
    pod.created = seen.now - 10min;
  }
  void reports(int64_t done, int64_t activity) {
    Mover::Status& status = seen.mover_object->mover.status;
    status.pod = pod.name;
    status.progress = DataMove::Progress{.bytes_done = done, .activity = activity};
  }
  Outcome next() { return follow(seen, pod); }
  DataMove::Status after() { return status_after(seen.move, next()); }
  void go_on(std::chrono::seconds later) {
    seen.move.status = after();
    seen.now += later;
  }

  MoveSeen seen{};
  MoverSeen pod{};
};

TEST_F(AtWork, ProgressIsCopiedButNotAllTheTime) {
  reports(10, 3);
  go_on(1s);
  EXPECT_EQ(seen.move.status.progress->bytes_done, 10);
  reports(20, 4);
  EXPECT_EQ(next().kind, Kind::Wait);
  EXPECT_EQ(next().again, 1s);
  seen.now += 1s;
  EXPECT_EQ(after().progress->bytes_done, 20);
}

TEST_F(AtWork, WhatAnotherPodHasReportedIsNotItsOwn) {
  reports(10, 3);
  seen.mover_object->mover.status.pod = "nightly-0";
  EXPECT_EQ(next().kind, Kind::Wait);
}

TEST_F(AtWork, LimitsArePassedOn) {
  seen.move.spec.limits = DataMove::Limits{1000};
  EXPECT_EQ(written(next()), "patch movers.holdfast.dev shop/mover");
  seen.mover_object->mover.spec.limits = seen.move.spec.limits;
  EXPECT_EQ(next().kind, Kind::Wait);
}

TEST_F(AtWork, OneThatStandsStillIsToldOfAndThenEnded) {
  reports(10, 3);
  go_on(55min);
  seen.move.status = after();
  EXPECT_EQ(seen.move.status.conditions.back().type, "MoverIdle");
  EXPECT_EQ(next().kind, Kind::Wait);
  seen.now += 5min;
  const DataMove::Status ended = after();
  EXPECT_EQ(ended.attempts, 2);
  EXPECT_EQ(ended.conditions.back().reason, "NoProgress");
  seen.move.spec.backoff_limit = 0;
  EXPECT_EQ(after().phase, DataMove::Phase::Failed);
}

TEST_F(AtWork, OneThatGoesOnIsNot) {
  reports(10, 3);
  go_on(55min);
  seen.move.status = after();
  reports(10, 4);  // it reads, and finds nothing new
  go_on(54min);
  EXPECT_TRUE(seen.move.status.conditions.empty()) << "it is idle no longer";
  EXPECT_EQ(next().kind, Kind::Wait);
}

TEST_F(AtWork, AnOperatorThatWasAwayGivesItTimeToReport) {
  pod.created = seen.now - 5h;
  seen.move.status = after();
  EXPECT_EQ(seen.move.status.conditions.back().type, "MoverIdle");
  EXPECT_EQ(next().again, 5min);
}

TEST_F(AtWork, AVeryLowLimitMakesPiecesLong) {
  seen.move.spec.limits = DataMove::Limits{100};
  seen.mover_object->mover.spec.limits = seen.move.spec.limits;
  pod.created = seen.now - 2h;
  EXPECT_EQ(next().kind, Kind::Wait);
  EXPECT_TRUE(seen.move.status.conditions.empty());
}

}  // namespace
}  // namespace holdfast::protect
