#include "action/run_plan.h"

#include "action/objects.h"
#include "action/objects_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::Outcome;
using model::string_at;
using model::Value;

ActionSeen fresh() {
  ActionSeen out;
  out.object = object("VolumeGroupAction", "run");
  out.ns = "shop";
  out.name = "run";
  out.uid = "u-1";
  out.action.spec.group = "db";
  out.now = WallTime(std::chrono::seconds(1767225600));
  return out;
}

Inputs inputs() {
  Inputs out;
  out.ns = "shop";
  out.quiescing.pre_actions = {{.name = "lock", .args = {"lock"}}};
  out.quiescing.post_actions = {{.name = "unlock", .args = {"unlock"}}};
  out.pods = {{.name = "db-0", .uid = "p-1", .container = "db", .container_id = "c-1"}};
  ClaimRecord claim;
  claim.ns = "shop";
  claim.name = "data";
  claim.uid = "c-uid";
  claim.volume = "pv-1";
  out.claims = {claim};
  return out;
}

ActionSeen started() {
  ActionSeen out = fresh();
  out.has_finalizer = true;
  out.action.status.state = State::Started;
  out.action.status.inputs = inputs();
  out.action.status.triggered.emplace();
  out.action.status.triggered->running = {
      {.name = "lock", .state = State::Started}, {.name = "snapshot"}, {.name = "unlock"}};
  out.action.status.triggered->references.resources = {{.name = "data", .ns = "shop", .items = {}}};
  out.members.emplace_back();
  out.members[0].claim = object("PersistentVolumeClaim", "data");
  return out;
}

control::OperationRecord record(bool finished) {
  control::OperationRecord out;
  out.name = "window";
  out.attempt = 1;
  out.started_at = "2026-01-01T00:00:00Z";
  if (finished) {
    out.finished_at = "2026-01-01T00:00:01Z";
    out.outcome = "Succeeded";
  }
  return out;
}

const Value& body(const Outcome& decision) { return decision.write()->body; }

TEST(RunPlan, ARefusalEndsTheRunBeforeAnythingIsTouched) {
  ActionSeen seen = fresh();
  seen.resolution.emplace();
  seen.resolution->refusal = Refusal{"NoVolumes", "nothing there"};

  const Outcome out = plan_run(seen);

  EXPECT_EQ(string_at(body(out), {"status", "state"}), "Error");
  ASSERT_TRUE(out.write()->note);
  EXPECT_EQ(out.write()->note->reason, "NoVolumes");
}

TEST(RunPlan, ADryRunOnlyLooks) {
  ActionSeen seen = fresh();
  seen.action.spec.dry_run = true;
  seen.resolution.emplace();
  seen.resolution->inputs = inputs();

  const Outcome out = plan_run(seen);

  EXPECT_EQ(string_at(body(out), {"status", "state"}), "Completed");
  EXPECT_EQ(out.asked(), "");
}

TEST(RunPlan, TheFinalizerStandsBeforeAnyEffect) {
  ActionSeen seen = started();
  seen.action.status.state = State::Pending;
  seen.has_finalizer = false;
  EXPECT_EQ(plan_run(seen).write()->text(), "patch volumegroupactions.longhorn.io shop/run");
}

TEST(RunPlan, ALabelDoesNotStayWhenAnotherClaimIsGoneBeforeTheCut) {
  ActionSeen seen = started();
  seen.action.status.state = State::Pending;
  seen.action.status.inputs->cut = Cut::Group;
  seen.action.status.inputs->claims.push_back({.ns = "shop", .name = "logs"});
  seen.members.emplace_back();
  seen.members[0].labelled = true;

  const Outcome first = plan_run(seen);
  EXPECT_EQ(first.write()->text(), "patch persistentvolumeclaims shop/data");

  seen.members[0].labelled = false;
  const Outcome out = plan_run(seen);
  EXPECT_EQ(string_at(body(out), {"status", "state"}), "Error");
  EXPECT_EQ(out.write()->note->reason, "ClaimNotFound");
}

TEST(RunPlan, TheWindowComesWhenAllIsPrepared) { EXPECT_EQ(plan_run(started()).asked(), "window"); }

TEST(RunPlan, TwoWindowsOfOnePodDoNotOverlap) {
  ActionSeen seen = started();
  seen.pods_busy = true;
  const Outcome out = plan_run(seen);
  EXPECT_EQ(out.asked(), "");
  EXPECT_EQ(out.reason, "PodBusy");
}

TEST(RunPlan, NoPostIsRunWhileAnotherRunHoldsThePod) {
  ActionSeen seen = started();
  seen.window = record(true);
  seen.action.status.consistency = Consistency::Unknown;
  seen.action.status.owed = {{.pod = "db-0", .commands = {"unlock"}, .error = ""}};
  seen.pods_busy = true;
  EXPECT_EQ(plan_run(seen).reason, "PodBusy");

  seen.release = record(false);
  EXPECT_EQ(plan_run(seen).reason, "PodBusy") << "nor once more";

  seen.pods_busy = false;
  EXPECT_EQ(plan_run(seen).asked(), "release");
}

TEST(RunPlan, AfterAWindowThatNobodyFinishedAllPostsAreOwed) {
  ActionSeen seen = started();
  seen.window = record(true);
  seen.window->outcome = "Failed";

  const Outcome out = plan_run(seen);

  const model::Array& owed = model::array_at(body(out), {"status", "owed"});
  ASSERT_EQ(owed.size(), 1U);
  EXPECT_EQ(string_at(owed[0], {"pod"}), "db-0");
  EXPECT_EQ(string_at(body(out), {"status", "consistencyReason"}), "Interrupted");
}

TEST(RunPlan, WhatIsOwedIsDoneBeforeTheRunEnds) {
  ActionSeen seen = started();
  seen.window = record(true);
  seen.action.status.consistency = Consistency::Unknown;
  seen.action.status.consistency_reason = "Interrupted";
  seen.action.status.owed = {{.pod = "db-0", .commands = {"unlock"}, .error = ""}};

  EXPECT_EQ(plan_run(seen).asked(), "release");

  seen.release = record(true);
  seen.release->result = model::Array();
  EXPECT_EQ(model::find(body(plan_run(seen)), {"status", "owed"})->is_null(), true);

  seen.action.status.owed.clear();
  seen.now += std::chrono::minutes(1);
  EXPECT_EQ(string_at(body(plan_run(seen)), {"status", "state"}), "Error");
}

TEST(RunPlan, ARunEndsAfterGuardsThatWereNotSentHome) {
  for (const bool interrupted : {true, false}) {
    ActionSeen seen = started();
    seen.action.status.inputs->quiescing.post_actions = {{.name = "unlock"}};
    seen.window = record(true);
    seen.action.status.consistency = Consistency::Unknown;
    if (interrupted) {
      seen.release = record(true);
    } else {
      seen.window_result.emplace();
      seen.window_result->reason = "CommandTimedOut";
      seen.window_result->lingering = true;
    }

    EXPECT_EQ(plan_run(seen).kind, Outcome::Kind::Wait) << interrupted;

    seen.now += std::chrono::seconds(16);
    EXPECT_EQ(string_at(body(plan_run(seen)), {"status", "state"}), "Error") << interrupted;
  }
}

TEST(RunPlan, AReleaseThatFailedIsTriedAgainAfterAPause) {
  ActionSeen seen = started();
  seen.window = record(true);
  seen.action.status.consistency = Consistency::Unknown;
  seen.action.status.owed = {{.pod = "db-0", .commands = {"unlock"}, .error = "no"}};
  seen.release = record(true);
  Value left;
  model::field_type<std::vector<protect::Owed>>().encode(&seen.action.status.owed, left);
  seen.release->result = left;

  EXPECT_EQ(plan_run(seen).kind, Outcome::Kind::Wait);

  seen.now += std::chrono::minutes(1);
  const Outcome again = plan_run(seen);
  EXPECT_EQ(again.asked(), "release");
  EXPECT_EQ(again.operation()->attempt, 2);
}

TEST(RunPlan, SnapshotsOfAWindowThatFailedGo) {
  ActionSeen seen = started();
  seen.window = record(true);
  seen.window_result.emplace();
  seen.window_result->reason = "FreezeDeadlineExceeded";
  seen.action.status.consistency = Consistency::Unknown;
  seen.action.status.consistency_reason = "FreezeDeadlineExceeded";
  seen.members[0].snapshot = SnapshotSeen{.object = object("VolumeSnapshot", "cut")};

  EXPECT_EQ(plan_run(seen).write()->text(),
            "delete volumesnapshots.snapshot.storage.k8s.io shop/cut");

  seen.members[0].snapshot.reset();
  EXPECT_EQ(string_at(body(plan_run(seen)), {"status", "state"}), "Error");
}

TEST(RunPlan, ASnapshotIsCompletedOnlyWhenItIsReady) {
  ActionSeen seen = started();
  seen.window = record(true);
  seen.window_result.emplace();
  seen.action.status.consistency = Consistency::Crash;
  seen.members[0].snapshot = SnapshotSeen{.object = object("VolumeSnapshot", "cut")};

  EXPECT_EQ(plan_run(seen).kind, Outcome::Kind::Wait);

  seen.members[0].snapshot->ready = true;
  EXPECT_EQ(string_at(body(plan_run(seen)), {"status", "state"}), "Completed");
}

UsedMove upload(protect::DataMove::Phase phase) {
  UsedMove out;
  out.object = object("DataMove", "upload");
  out.move.status.phase = phase;
  return out;
}

// Each look at them is requests: from the uploads on the run goes by their names alone.
TEST(RunPlan, SnapshotsAreLookedAtOnlyWhileTheNextStepIsAboutThem) {
  ActionSeen seen = started();
  EXPECT_FALSE(needs_snapshots(seen)) << "before the window there are none";
  seen.window = record(true);
  EXPECT_TRUE(needs_snapshots(seen));
  seen.action.spec.action = GroupAction::Backup;
  seen.action.status.triggered->running.push_back({.name = "backup"});
  EXPECT_TRUE(needs_snapshots(seen)) << "uploads are still to begin";
  seen.action.status.triggered->running.back().state = State::Started;
  EXPECT_FALSE(needs_snapshots(seen));
  seen.deleting = true;
  EXPECT_TRUE(needs_snapshots(seen)) << "they go with it";
}

TEST(RunPlan, ARevertLooksAtSnapshotsOnceBeforeItBegins) {
  ActionSeen seen = started();
  VolumeGroupAction::Status& status = seen.action.status;
  status.state = State::Restoring;
  status.restoring = "revert";
  status.restored.emplace();
  status.restored->running = {{.name = "revert"}};
  EXPECT_TRUE(needs_snapshots(seen));
  status.restored->running.front().state = State::Started;
  EXPECT_FALSE(needs_snapshots(seen)) << "claims are made of them by name";
  status.restored->running.front().state = State::Pending;
  status.restoring = "restore";
  EXPECT_FALSE(needs_snapshots(seen)) << "a backup needs none";
}

/// A run whose uploads are to begin, of a group of administrators over the tenant's volumes.
ActionSeen of_admins() {
  ActionSeen seen = started();
  seen.ns = "admins";
  seen.window = record(true);
  seen.window_result.emplace();
  seen.action.spec.action = GroupAction::Backup;
  seen.action.status.consistency = Consistency::Application;
  Inputs& inputs = *seen.action.status.inputs;
  inputs.location = protect::Reference{"vault", "admins"};
  inputs.repository = "admins.shop";
  inputs.nonce = "n0nce";
  inputs.claims[0].snapshot_uid = "u-cut";
  seen.action.status.triggered->running.push_back({.name = "backup", .state = State::Started});
  seen.action.status.triggered->references.resources[0].items["snapshot"] = {"cut"};
  return seen;
}

protect::DataMove made_by(const Outcome& outcome) {
  EXPECT_NE(outcome.write(), nullptr);
  return model::decode_object<protect::DataMove>(body(outcome)).take();
}

TEST(RunPlan, UploadsOfAdministratorsStandInTheirOwnNamespace) {
  const Outcome out = plan_run(of_admins());
  EXPECT_TRUE(out.write()->text().starts_with("create datamoves.holdfast.dev admins/"));
  const protect::DataMove move = made_by(out);
  EXPECT_EQ(move.spec.volume->ns, "shop");
  EXPECT_EQ(move.spec.volume->snapshot, "cut");
  EXPECT_EQ(move.spec.volume->snapshot_uid, "u-cut");
  EXPECT_EQ(move.spec.repository, "admins.shop");
  EXPECT_EQ(move.spec.tags,
            (std::vector<std::string>{"vg=admins/db", "vga=u-1", "pvc=shop/data", "claim=c-uid",
                                      "snapshot=u-cut", "nonce=n0nce"}));
}

TEST(RunPlan, TheCatalogueIsWrittenOnlyAfterALookAtAllTheRest) {
  ActionSeen seen = of_admins();
  UsedMove& used = seen.members[0].move.emplace(upload(protect::DataMove::Phase::Completed));
  used.move.spec = upload_of(seen, 0).spec;
  used.move.status.snapshot_id = "3c4d";
  used.move.status.files = 7;
  used.move.status.progress = protect::DataMove::Progress{.bytes_done = 70};

  const protect::DataMove move = made_by(plan_run(seen));

  ASSERT_EQ(move.spec.expects.size(), 1U);
  EXPECT_EQ(move.spec.expects[0].snapshot_id, "3c4d");
  EXPECT_EQ(move.spec.expects[0].files, 7);
  EXPECT_EQ(move.spec.expects[0].bytes, 70);
  std::vector<std::string> tags = upload_of(seen, 0).spec.tags;
  tags.emplace_back("dm=u-1");
  EXPECT_EQ(move.spec.expects[0].tags, tags);
  EXPECT_EQ(move.spec.repository, "admins.shop");
}

TEST(RunPlan, AMoveThatWasAskedForSomethingElseIsNotBelieved) {
  ActionSeen seen = of_admins();
  UsedMove& used = seen.members[0].move.emplace(upload(protect::DataMove::Phase::Completed));
  used.move.status.snapshot_id = "3c4d";
  used.move.spec = upload_of(seen, 0).spec;
  used.move.spec.volume.reset();
  used.move.spec.document = protect::DataMove::Document{"nothing", "gone"};

  const Value told = body(plan_run(seen));

  const Value& condition = model::array_at(told, {"status", "conditions"}).at(0);
  EXPECT_EQ(string_at(condition, {"reason"}), "MoveChanged");
  EXPECT_NE(string_at(condition, {"message"}).find("spec.volume, spec.document"),
            std::string_view::npos)
      << string_at(condition, {"message"});
}

TEST(RunPlan, AnotherSnapshotThanTheCutEndsTheRun) {
  ActionSeen seen = of_admins();
  seen.action.status.triggered->running.back().state = State::Pending;
  seen.members[0].snapshot = SnapshotSeen{.object = object("VolumeSnapshot", "cut"), .ready = true};

  const Value told = body(plan_run(seen));

  EXPECT_EQ(string_at(model::array_at(told, {"status", "conditions"}).at(0), {"reason"}),
            "SnapshotReplaced");
  seen.action.status.inputs->claims[0].snapshot_uid = "u-1";
  EXPECT_EQ(plan_run(seen).write()->text(), "patch volumegroupactions.longhorn.io/status shop/run")
      << "it goes on";
}

TEST(RunPlan, ARunFromBeforeGoesOnWhereItsClaimsAre) {
  ActionSeen seen = of_admins();
  seen.action.status.inputs->repository.clear();
  seen.action.status.inputs->nonce.clear();
  const Outcome out = plan_run(seen);
  EXPECT_TRUE(out.write()->text().starts_with("create datamoves.holdfast.dev shop/"));
  const protect::DataMove move = made_by(out);
  EXPECT_EQ(move.spec.volume->ns, "");
  EXPECT_EQ(move.spec.repository, "");
  EXPECT_EQ(move.spec.tags.size(), 3U);
}

TEST(RunPlan, AnUploadThatFailedNamesItsLocationAndWhatItLeftBehind) {
  ActionSeen seen = started();
  seen.window = record(true);
  seen.window_result.emplace();
  seen.action.spec.action = GroupAction::Backup;
  seen.action.status.consistency = Consistency::Application;
  seen.action.status.inputs->location = protect::Reference{"vault", "admins"};
  seen.action.status.inputs->claims.push_back({.name = "logs"});
  seen.action.status.triggered->running.push_back({.name = "backup", .state = State::Started});
  seen.action.status.triggered->references.resources.emplace_back();
  seen.members.emplace_back();
  for (MemberSeen& each : seen.members)
    each.snapshot = SnapshotSeen{.object = object("VolumeSnapshot", "cut"), .ready = true};
  seen.members[0].move = upload(protect::DataMove::Phase::Completed);
  seen.members[0].move->move.spec = upload_of(seen, 0).spec;
  seen.members[0].move->move.status.snapshot_id = "3c4d";
  seen.members[1].move = upload(protect::DataMove::Phase::Failed);
  seen.members[1].move->move.status.conditions = {
      {"Completed", "False", "WriteRefused", "no space left", "", 0}};

  const Value told = body(plan_run(seen));

  const Value& condition = model::array_at(told, {"status", "conditions"}).at(0);
  EXPECT_EQ(string_at(condition, {"reason"}), "WriteRefused");
  EXPECT_EQ(string_at(condition, {"message"}),
            "upload to BackupLocation admins/vault: claim logs: WriteRefused: no space left; the "
            "snapshots are kept, and can be reverted to");
  EXPECT_EQ(string_at(model::array_at(told, {"status", "inputs", "claims"}).at(0), {"snapshotID"}),
            "3c4d");
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
