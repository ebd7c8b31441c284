// Moves to a location of another namespace, step by step.
#include "moves/staging_objects.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using Kind = StageStep::Kind;
using Phase = DataMove::Phase;

kube::Cached cached(const std::string& text) {
  return kube::Cached::from_text(R"({"metadata":{"name":"x","uid":"u","resourceVersion":"7")" +
                                 text)
      .take();
}

MoveSeen foreign(DataMove::Direction direction) {
  MoveSeen seen;
  seen.ns = "shop";
  seen.mover_ns = "admins";
  seen.name = "nightly";
  seen.uid = "11111111-2222-3333-4444-555555555555";
  seen.move.spec.direction = direction;
  if (direction == DataMove::Direction::Restore) seen.move.spec.snapshot = "abc";
  seen.move.spec.volume = DataMove::Volume{.claim = "data"};
  seen.move.status.phase = Phase::Accepted;
  seen.location = LocationSeen{"admins", "vault", {}};
  seen.location->location.spec.s3 = BackupLocation::S3{.bucket = "b"};
  seen.account_ready = true;
  seen.created = seen.now = WallTime(1000s);
  seen.staging.claim =
      ClaimSeen{.uid = "c1", .volume = "pv1", .storage_class = "fast", .size = "1Gi"};
  seen.staging.storage_class = "fast";
  seen.objects.move = cached("}}");
  return seen;
}

Kind stage_of(const MoveSeen& seen) {
  const MoveStep step = plan_move(seen);
  EXPECT_EQ(step.kind, MoveStep::Kind::Stage);
  return step.stage;
}

std::string reason_of(const MoveSeen& seen) {
  const MoveStep step = plan_move(seen);
  return step.status.conditions.empty() ? "" : step.status.conditions.back().reason;
}

MoverSeen succeeded() {
  MoverSeen mover;
  mover.attempt = 1;
  mover.name = "m";
  mover.phase = "Succeeded";
  MoveReport said;
  said.snapshot_id = "abc";
  mover.message = to_text(said);
  return mover;
}

TEST(Staging, ABackupIsCutAndBoundASecondTimeBeforeItsMover) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  EXPECT_EQ(stage_of(seen), Kind::Hold) << "what is made elsewhere must be found again";
  seen.staging.held = true;
  EXPECT_EQ(stage_of(seen), Kind::Cut);
  seen.staging.cut = CutSeen{};
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::Wait);
  seen.staging.cut->ready = true;
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::Wait) << "no content says that it is its own";
  seen.staging.driver = "d";
  seen.staging.handle = "h";
  EXPECT_EQ(stage_of(seen), Kind::BindContent);
  const model::Value content = stage_write(seen, Kind::BindContent).body;
  EXPECT_EQ(model::string_at(content, {"spec", "deletionPolicy"}), "Retain");
  EXPECT_EQ(model::string_at(content, {"spec", "source", "snapshotHandle"}), "h");
  EXPECT_EQ(model::string_at(content, {"spec", "volumeSnapshotRef", "namespace"}), "admins");
  seen.staging.content = true;
  EXPECT_EQ(stage_of(seen), Kind::BindSnapshot);
  seen.staging.second = CutSeen{.ready = true};
  EXPECT_EQ(stage_of(seen), Kind::MakeClaim);
  const model::Value claim = stage_write(seen, Kind::MakeClaim).body;
  EXPECT_EQ(model::string_at(claim, {"metadata", "namespace"}), "admins");
  EXPECT_EQ(model::string_at(claim, {"spec", "dataSource", "name"}), staged_name(seen));
  seen.staging.staged = ClaimSeen{};
  EXPECT_EQ(plan_move(seen).status.attempts, 1);
}

TEST(Staging, ANamedSnapshotOfTheSameNamespaceNeedsOnlyAClaim) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.mover_ns = "shop";
  EXPECT_FALSE(is_staged(seen));
  seen.move.spec.volume = DataMove::Volume{.snapshot = "before"};
  seen.staging.held = true;
  EXPECT_EQ(reason_of(seen), "SnapshotNotFound");
  seen.staging.cut = CutSeen{.ready = true, .size = "3Gi"};
  seen.staging.handle = "h";
  EXPECT_EQ(stage_of(seen), Kind::MakeClaim);
  const model::Value claim = stage_write(seen, Kind::MakeClaim).body;
  EXPECT_EQ(model::string_at(claim, {"spec", "dataSource", "name"}), "before");
  EXPECT_EQ(model::string_at(claim, {"spec", "resources", "requests", "storage"}), "3Gi");
}

TEST(Staging, WhatCannotBeCutEndsInAReason) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.staging.held = true;
  seen.staging.cut = CutSeen{.error = "the provider copies"};
  seen.staging.cut->created = seen.created;
  seen.now = *seen.created + kStartLimit + 1s;
  const MoveStep step = plan_move(seen);
  EXPECT_EQ(step.status.phase, Phase::Failed);
  EXPECT_EQ(step.status.conditions.back().message, "the provider copies");
  seen.staging.cut.reset();
  seen.staging.claim->volume.clear();
  EXPECT_EQ(reason_of(seen), "ClaimNotBound");
  seen.staging.claim.reset();
  EXPECT_EQ(reason_of(seen), "ClaimNotFound");
}

TEST(Staging, ARoundWhoseCutFailsIsNotTheEnd) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.move.spec.follow = DataMove::Follow{"1h"};
  seen.move.status.rounds =
      DataMove::Rounds{.current = 2, .done = 1, .attempts_before = 0, .last_time = ""};
  seen.staging.held = true;
  seen.now = *seen.created + 24h;
  seen.staging.cut = CutSeen{.created = seen.now - 1min, .error = "no room"};
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::Wait) << "the move is old, this cut is not";
  seen.staging.cut->created = seen.now - kStartLimit - 1s;
  const MoveStep step = plan_move(seen);
  EXPECT_EQ(step.status.rounds->done, 2);
  EXPECT_EQ(step.status.phase, Phase::Accepted);
  EXPECT_EQ(step.status.conditions.back().message, "no room");
}

TEST(Staging, ARestoredVolumeIsKeptLetGoAndReservedForTheTenant) {
  MoveSeen seen = foreign(DataMove::Direction::Restore);
  seen.staging.held = true;
  EXPECT_EQ(reason_of(seen), "ClaimAlreadyBound");
  seen.staging.claim->volume.clear();
  EXPECT_EQ(stage_of(seen), Kind::MakeClaim);
  EXPECT_FALSE(
      stage_write(seen, Kind::MakeClaim).body.at("spec").as_object().contains("dataSource"));
  seen.staging.staged = ClaimSeen{.uid = "s1", .volume = "pv2"};
  seen.move.status.attempts = 1;
  seen.movers = {succeeded()};
  EXPECT_EQ(stage_of(seen), Kind::KeepVolume);
  seen.objects.volume = cached(R"(},"spec":{"persistentVolumeReclaimPolicy":"Delete"}})");
  const model::Value kept = stage_write(seen, Kind::KeepVolume).body;
  EXPECT_EQ(model::string_at(kept, {"spec", "persistentVolumeReclaimPolicy"}), "Retain");
  EXPECT_EQ(model::string_at(kept, {"metadata", "annotations", kFirstPolicy}), "Delete");
  EXPECT_EQ(model::string_at(kept, {"metadata", "resourceVersion"}), "7");
  seen.staging.volume = StagedVolume{"pv2", "s1"};
  EXPECT_EQ(stage_of(seen), Kind::RemoveClaim);
  seen.staging.staged->deleting = true;
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::Wait);
  seen.staging.staged.reset();
  seen.move.spec.cancel = true;
  EXPECT_EQ(stage_of(seen), Kind::HandOver) << "too late to be canceled";
  EXPECT_EQ(model::string_at(stage_write(seen, Kind::HandOver).body, {"spec", "claimRef", "uid"}),
            "c1");
  seen.staging.volume->claim_uid = "c1";
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::Wait);
  seen.staging.claim->volume = "pv2";
  EXPECT_EQ(plan_move(seen).status.phase, Phase::Completed);
}

TEST(Staging, NothingStaysBehindWhateverTheEnd) {
  for (const Phase phase : {Phase::Completed, Phase::Failed, Phase::Canceled}) {
    MoveSeen seen = foreign(DataMove::Direction::Backup);
    seen.move.status.phase = phase;
    seen.staging.held = seen.staging.content = true;
    seen.staging.cut = seen.staging.second = CutSeen{};
    seen.staging.staged = ClaimSeen{};
    seen.staging.volume = StagedVolume{};
    EXPECT_EQ(stage_of(seen), Kind::GiveBack);
    seen.staging.volume.reset();
    EXPECT_EQ(stage_of(seen), Kind::RemoveClaim);
    seen.staging.staged->deleting = true;
    EXPECT_EQ(stage_of(seen), Kind::RemoveSnapshot);
    seen.staging.second->deleting = true;
    EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::Wait);
    seen.staging.second.reset();
    EXPECT_EQ(stage_of(seen), Kind::RemoveContent);
    seen.staging.content = false;
    EXPECT_EQ(stage_of(seen), Kind::RemoveCut);
    seen.staging.cut.reset();
    EXPECT_EQ(stage_of(seen), Kind::LetGo);
  }
}

TEST(Staging, ANamedSnapshotIsNotRemovedAndAFailedMoverStaysForItsLog) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.move.spec.volume = DataMove::Volume{.snapshot = "before"};
  seen.move.status.phase = Phase::Failed;
  seen.move.status.attempts = 1;
  seen.staging.held = true;
  seen.staging.cut = CutSeen{.ready = true};
  seen.movers = {succeeded()};
  seen.movers[0].phase = "Failed";
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::None);
  seen.deleting = true;
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::StopMover);
  seen.movers.clear();
  EXPECT_EQ(stage_of(seen), Kind::LetGo);
}

TEST(Staging, AMoveThatIsDeletedStopsItsMoverFirst) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.move.status.phase = Phase::InProgress;
  seen.move.status.attempts = 1;
  seen.deleting = seen.staging.held = true;
  seen.staging.staged = ClaimSeen{};
  seen.movers = {succeeded()};
  seen.movers[0].phase = "Running";
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::StopMover);
  seen.movers[0].deleting = true;
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::Wait);
  seen.movers.clear();
  EXPECT_EQ(stage_of(seen), Kind::RemoveClaim);
}

TEST(Staging, AMoverElsewhereGoesWithItsMoveThoughNothingIsStaged) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.move.spec.volume.reset();
  seen.move.spec.document = DataMove::Document{"catalogue.json", "{}"};
  seen.staging = {};
  EXPECT_EQ(stage_of(seen), Kind::Hold);
  seen.staging.held = true;
  EXPECT_EQ(plan_move(seen).status.attempts, 1);
  seen.move.status.phase = Phase::Failed;
  seen.move.status.attempts = 1;
  seen.movers = {succeeded()};
  seen.movers[0].phase = "Failed";
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::None) << "it stays for its log";
  seen.deleting = true;
  EXPECT_EQ(plan_move(seen).kind, MoveStep::Kind::StopMover);
  seen.movers.clear();
  EXPECT_EQ(stage_of(seen), Kind::LetGo);
}

}  // namespace
}  // namespace holdfast::protect
