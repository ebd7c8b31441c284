// Moves to a location of another namespace, step by step.
#include "moves/staging_objects.h"
#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Kind = Outcome::Kind;
using Phase = DataMove::Phase;

MoveSeen foreign(DataMove::Direction direction) {
  MoveSeen seen;
  seen.ns = "shop";
  seen.volume_ns = seen.repository = "shop";
  seen.mover_ns = "admins";
  seen.name = "nightly";
  seen.uid = "11111111-2222-3333-4444-555555555555";
  seen.move.spec.direction = direction;
  if (direction == DataMove::Direction::Restore) seen.move.spec.snapshot = "abc";
  seen.move.spec.volume = DataMove::Volume{.claim = "data"};
  seen.move.status.phase = Phase::Accepted;
  seen.move.status.asked.emplace();
  seen.location = LocationSeen{"admins", "vault", {}};
  seen.location->location.spec.s3 = BackupLocation::S3{.bucket = "b"};
  seen.created = seen.now = WallTime(1000s);
  seen.staging.claim =
      handover::Claim{.uid = "c1", .volume = "pv1", .storage_class = "fast", .size = "1Gi"};
  seen.staging.storage_class = "fast";
  seen.object = cached_object("shop", "nightly");
  seen.objects.cut = cached_object("shop", "cut");
  seen.objects.content = cached_object("", "content");
  seen.objects.second = cached_object("admins", "second");
  return seen;
}

handover::Claim staged() { return *handover::claim_seen(cached_object("admins", "staged")); }

handover::Volume volume(const std::string& claim_uid, const std::string& policy = "Delete") {
  handover::Volume out;
  out.object = cached_object("", "pv2");
  out.claim_uid = claim_uid;
  out.policy = policy;
  return out;
}

/// What is written, with "*" for the name that we draw.
std::string stage_of(const MoveSeen& seen) {
  std::string text = written(plan_move(seen, {}));
  const std::string drawn = staged_name(seen);
  if (const size_t at = text.find(drawn); at != std::string::npos)
    text.replace(at, drawn.size(), "*");
  return text;
}

model::Value body_of(const MoveSeen& seen) {
  const Outcome outcome = plan_move(seen, {});
  return outcome.write() == nullptr ? model::Value() : outcome.write()->body;
}

/// Whether the write is that of the move's finalizer, which goes on or comes off.
bool holds(const MoveSeen& seen, bool on) {
  const model::Value body = body_of(seen);
  const model::Value* all = model::find(body, {"metadata", "finalizers"});
  return written(plan_move(seen, {})) == "patch datamoves.holdfast.dev shop/nightly" &&
         all != nullptr && *all == (on ? model::Array{kMoveFinalizer} : model::Array{});
}

DataMove::Status after(const MoveSeen& seen) {
  return status_after(seen.move, plan_move(seen, {}));
}

std::string reason_of(const MoveSeen& seen) {
  const DataMove::Status status = after(seen);
  return status.conditions.empty() ? "" : status.conditions.back().reason;
}

constexpr const char* kCut = "create volumesnapshots.snapshot.storage.k8s.io shop/*";
constexpr const char* kContent = "create volumesnapshotcontents.snapshot.storage.k8s.io *";
constexpr const char* kSecond = "create volumesnapshots.snapshot.storage.k8s.io admins/*";
constexpr const char* kRemoveClaim = "delete persistentvolumeclaims admins/staged";
constexpr const char* kPatchVolume = "patch persistentvolumes pv2";
constexpr const char* kStopMover = "delete pods admins/m";

MoverSeen succeeded() {
  MoverSeen mover;
  mover.attempt = 1;
  mover.name = "m";
  mover.phase = "Succeeded";
  MoveReport said;
  said.snapshot_id = "abc";
  said.verified = "Content";
  said.bytes_done = 7;
  mover.message = to_text(said);
  mover.pod = cached_object("admins", "m");
  return mover;
}

TEST(Staging, ABackupIsCutAndBoundASecondTimeBeforeItsMover) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  EXPECT_TRUE(holds(seen, true)) << "what is made elsewhere must be found again";
  seen.staging.has_finalizer = true;
  EXPECT_EQ(stage_of(seen), kCut);
  EXPECT_EQ(model::string_at(body_of(seen), {"spec", "source", "persistentVolumeClaimName"}),
            "data");
  seen.staging.cut = CutSeen{.claim = "data"};
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait);
  seen.staging.cut->ready = true;
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait) << "no content says that it is its own";
  seen.staging.driver = "d";
  seen.staging.handle = "h";
  EXPECT_EQ(stage_of(seen), kContent);
  const model::Value content = body_of(seen);
  EXPECT_EQ(model::string_at(content, {"spec", "deletionPolicy"}), "Retain");
  EXPECT_EQ(model::string_at(content, {"spec", "source", "snapshotHandle"}), "h");
  EXPECT_EQ(model::string_at(content, {"spec", "volumeSnapshotRef", "namespace"}), "admins");
  seen.staging.content = true;
  EXPECT_EQ(stage_of(seen), kSecond);
  EXPECT_EQ(model::string_at(body_of(seen), {"spec", "source", "volumeSnapshotContentName"}),
            staged_name(seen));
  seen.staging.second = CutSeen{.ready = true};
  EXPECT_EQ(stage_of(seen), "create persistentvolumeclaims admins/*");
  const model::Value claim = body_of(seen);
  EXPECT_EQ(model::string_at(claim, {"metadata", "namespace"}), "admins");
  EXPECT_EQ(model::string_at(claim, {"spec", "dataSource", "name"}), staged_name(seen));
  seen.staging.staged = staged();
  EXPECT_EQ(after(seen).attempts, 1);
}

TEST(Staging, ANamedSnapshotOfTheSameNamespaceNeedsOnlyAClaim) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.mover_ns = "shop";
  EXPECT_FALSE(is_staged(seen));
  seen.move.spec.volume = DataMove::Volume{.snapshot = "before"};
  seen.staging.has_finalizer = true;
  EXPECT_EQ(reason_of(seen), "SnapshotNotFound");
  seen.staging.cut = CutSeen{.ready = true, .size = "3Gi", .claim = "data"};
  seen.staging.handle = "h";
  EXPECT_EQ(stage_of(seen), "create persistentvolumeclaims shop/*");
  const model::Value claim = body_of(seen);
  EXPECT_EQ(model::string_at(claim, {"spec", "dataSource", "name"}), "before");
  EXPECT_EQ(model::string_at(claim, {"spec", "resources", "requests", "storage"}), "3Gi");
}

TEST(Staging, WhatCannotBeCutEndsInAReason) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.staging.has_finalizer = true;
  seen.staging.cut = CutSeen{.error = "the provider copies", .claim = "data"};
  seen.staging.cut->created = seen.created;
  seen.now = *seen.created + kStartLimit + 1s;
  const DataMove::Status status = after(seen);
  EXPECT_EQ(status.phase, Phase::Failed);
  EXPECT_EQ(status.conditions.back().message, "the provider copies");
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
  seen.staging.has_finalizer = true;
  seen.now = *seen.created + 24h;
  seen.staging.cut = CutSeen{.created = seen.now - 1min, .error = "no room", .claim = "data"};
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait) << "the move is old, this cut is not";
  seen.staging.cut->created = seen.now - kStartLimit - 1s;
  const DataMove::Status status = after(seen);
  EXPECT_EQ(status.rounds->done, 2);
  EXPECT_EQ(status.phase, Phase::Accepted);
  EXPECT_EQ(status.conditions.back().message, "no room");
}

TEST(Staging, ARestoredVolumeIsKeptLetGoAndReservedForTheTenant) {
  MoveSeen seen = foreign(DataMove::Direction::Restore);
  seen.staging.has_finalizer = true;
  EXPECT_EQ(reason_of(seen), "ClaimAlreadyBound");
  seen.staging.claim->volume.clear();
  EXPECT_EQ(stage_of(seen), "create persistentvolumeclaims admins/*");
  EXPECT_FALSE(body_of(seen).at("spec").as_object().contains("dataSource"));
  seen.staging.staged = staged();
  seen.staging.volume = volume("s1");
  seen.move.status.attempts = 1;
  seen.movers = {succeeded()};
  seen.move.status = after(seen);
  EXPECT_EQ(seen.move.status.phase, Phase::Accepted);
  EXPECT_EQ(seen.move.status.snapshot_id, "abc") << "the mover goes, and with it what it said";
  EXPECT_EQ(stage_of(seen), kPatchVolume);
  const model::Value kept = body_of(seen);
  EXPECT_EQ(model::string_at(kept, {"metadata", "labels", kMoveLabel}), seen.uid);
  EXPECT_EQ(model::string_at(kept, {"spec", "persistentVolumeReclaimPolicy"}), "Retain");
  EXPECT_EQ(model::string_at(kept, {"metadata", "annotations", handover::kFirstPolicy}), "Delete");
  EXPECT_EQ(model::string_at(kept, {"metadata", "resourceVersion"}), "7");
  seen.staging.kept = true;
  EXPECT_EQ(stage_of(seen), kStopMover) << "a pod that has ended holds the claim that it mounts";
  seen.movers[0].deleting = true;
  EXPECT_EQ(plan_move(seen, {}).reason, "MoverGoing");
  seen.movers.clear();
  EXPECT_EQ(stage_of(seen), kRemoveClaim);
  seen.staging.staged->deleting = true;
  EXPECT_EQ(plan_move(seen, {}).reason, "StagedClaimGoing");
  seen.staging.staged.reset();
  seen.move.spec.cancel = true;
  seen.location.reset();
  EXPECT_EQ(stage_of(seen), kPatchVolume) << "too late to be canceled";
  EXPECT_EQ(model::string_at(body_of(seen), {"spec", "claimRef", "uid"}), "c1");
  seen.staging.volume->claim_uid = "c1";
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait);
  seen.staging.claim->volume = "pv2";
  const DataMove::Status done = after(seen);
  EXPECT_EQ(done.phase, Phase::Completed);
  ASSERT_EQ(done.conditions.size(), 1U);
  EXPECT_EQ(done.conditions[0].message, "7 bytes, verified by Content");
}

TEST(Staging, NothingStaysBehindWhateverTheEnd) {
  for (const Phase phase : {Phase::Completed, Phase::Failed, Phase::Canceled}) {
    MoveSeen seen = foreign(DataMove::Direction::Backup);
    seen.move.status.phase = phase;
    seen.staging.has_finalizer = seen.staging.content = true;
    seen.staging.cut = seen.staging.second = CutSeen{.claim = "data"};
    seen.staging.staged = staged();
    seen.staging.volume = volume("s1", "Retain");
    seen.staging.kept = true;
    EXPECT_EQ(stage_of(seen), kPatchVolume);
    EXPECT_TRUE(model::find(body_of(seen), {"metadata", "labels", kMoveLabel})->is_null());
    EXPECT_EQ(model::string_at(body_of(seen), {"spec", "persistentVolumeReclaimPolicy"}), "Retain")
        << "nothing on it says which it had";
    seen.staging.volume.reset();
    seen.staging.kept = false;
    EXPECT_EQ(stage_of(seen), kRemoveClaim);
    seen.staging.staged->deleting = true;
    EXPECT_EQ(stage_of(seen), "delete volumesnapshots.snapshot.storage.k8s.io admins/second");
    seen.staging.second->deleting = true;
    EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait);
    seen.staging.second.reset();
    EXPECT_EQ(stage_of(seen), "delete volumesnapshotcontents.snapshot.storage.k8s.io content");
    seen.staging.content = false;
    EXPECT_EQ(stage_of(seen), "delete volumesnapshots.snapshot.storage.k8s.io shop/cut");
    seen.staging.cut.reset();
    EXPECT_TRUE(holds(seen, false));
  }
}

TEST(Staging, ANamedSnapshotIsNotRemovedAndAFailedMoverStaysForItsLogForAnHour) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.move.spec.volume = DataMove::Volume{.snapshot = "before"};
  seen.move.status.phase = Phase::Failed;
  seen.move.status.attempts = 1;
  seen.staging.has_finalizer = true;
  seen.staging.cut = CutSeen{.ready = true, .claim = "data"};
  seen.movers = {succeeded()};
  seen.movers[0].phase = "Failed";
  seen.movers[0].ended = seen.now;
  seen.staging.staged = staged();
  EXPECT_EQ(plan_move(seen, {}).again, 1h) << "the claim that it mounts could not go anyway";
  MoveSeen going = seen;
  going.deleting = true;
  EXPECT_EQ(stage_of(going), kStopMover);
  seen.now += 1h;
  EXPECT_EQ(stage_of(seen), kStopMover);
  seen.movers.clear();
  EXPECT_EQ(stage_of(seen), kRemoveClaim);
  seen.staging.staged.reset();
  EXPECT_TRUE(holds(seen, false));
}

TEST(Staging, AMoveThatIsDeletedStopsItsMoverFirst) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.move.status.phase = Phase::InProgress;
  seen.move.status.attempts = 1;
  seen.deleting = seen.staging.has_finalizer = true;
  seen.staging.staged = staged();
  seen.movers = {succeeded()};
  seen.movers[0].phase = "Running";
  EXPECT_EQ(stage_of(seen), kStopMover);
  seen.movers[0].deleting = true;
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait);
  seen.movers.clear();
  EXPECT_EQ(stage_of(seen), kRemoveClaim);
}

TEST(Staging, AMoverElsewhereGoesWithItsMoveThoughNothingIsStaged) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.move.spec.volume.reset();
  seen.move.spec.document = DataMove::Document{"catalogue.json", "{}"};
  seen.staging = {};
  EXPECT_TRUE(holds(seen, true));
  seen.staging.has_finalizer = true;
  EXPECT_EQ(after(seen).attempts, 1);
  seen.move.status.phase = Phase::Failed;
  seen.move.status.attempts = 1;
  seen.movers = {succeeded()};
  seen.movers[0].phase = "Failed";
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Done) << "it stays for its log";
  seen.deleting = true;
  EXPECT_EQ(stage_of(seen), kStopMover);
  seen.movers.clear();
  EXPECT_TRUE(holds(seen, false));
}

// A driver may copy for minutes, and each look at it is several requests.
TEST(Staging, ACutThatTakesLongIsLookedAtLessAndLess) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.staging.has_finalizer = true;
  seen.staging.cut = CutSeen{.created = seen.now, .claim = "data"};
  EXPECT_EQ(plan_move(seen, {}).again, 500ms);
  seen.now += 40s;
  EXPECT_EQ(plan_move(seen, {}).again, 5s);
  seen.now += 4min;
  EXPECT_EQ(plan_move(seen, {}).again, 10s);

  // One that was named may be a year old: it has been waited for since the move came.
  seen.staging.cut->created = seen.now - 8760h;
  seen.created = seen.now;
  EXPECT_EQ(plan_move(seen, {}).again, 500ms);
}

TEST(Staging, AnotherSnapshotInThePlaceOfTheCutIsNotBackedUp) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.staging.has_finalizer = true;
  seen.staging.handle = "h1";
  seen.move.spec.volume = DataMove::Volume{.snapshot = "cut", .snapshot_uid = "u-cut"};
  seen.staging.cut = CutSeen{.ready = true, .uid = "u-cut", .claim = "data"};
  EXPECT_EQ(stage_of(seen), kContent);
  seen.staging.cut->uid = "u-other";
  EXPECT_EQ(reason_of(seen), "SnapshotReplaced");
  // One that we made ourselves: its labels are anybody's.
  seen.move.spec.volume = DataMove::Volume{.claim = "data"};
  EXPECT_EQ(stage_of(seen), kContent);
  seen.staging.cut->claim = "small";
  EXPECT_EQ(reason_of(seen), "SnapshotReplaced");
}

TEST(Staging, AnAdministratorsMoveReachesIntoTheTenantsNamespace) {
  MoveSeen seen = foreign(DataMove::Direction::Backup);
  seen.ns = "admins";
  seen.is_admin = true;
  seen.repository = "admins.shop";
  seen.move.spec.volume = DataMove::Volume{.ns = "shop", .claim = "data"};
  seen.staging.has_finalizer = true;
  EXPECT_EQ(stage_of(seen), kCut);
  EXPECT_TRUE(model::array_at(body_of(seen), {"metadata", "ownerReferences"}).empty())
      << "owners are of the same namespace";
  seen.staging.cut = CutSeen{.ready = true, .claim = "data"};
  seen.staging.handle = "h1";
  EXPECT_EQ(stage_of(seen), kContent);
  seen.is_admin = false;
  EXPECT_EQ(reason_of(seen), "NamespaceNotAllowed");
}

}  // namespace
}  // namespace holdfast::protect
