#include "log/plan.h"

#include <holdfast/protect/cut/log_notes.h>
#include <holdfast/protect/cut/verdict.h>

#include "action/objects.h"
#include "action/objects_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::Outcome;
using model::Object;
using model::string_at;
using model::Value;

ClaimRecord claim(const std::string& name, bool log) {
  ClaimRecord out;
  out.ns = "shop";
  out.name = name;
  out.uid = "uid-of-" + name;
  if (log) {
    out.log.emplace();
    out.log->pod = "db-0";
    out.log->path = "/data/wal";
    out.log->data_claim = name;
    out.log->segments = {"000000010000000000000004"};
  }
  return out;
}

/// A run whose cuts are made: one claim, and its log, which is not cut yet.
ActionSeen cut() {
  ActionSeen out;
  out.object = object("VolumeGroupAction", "run");
  out.ns = "shop";
  out.uid = "u-1";
  out.window_result.emplace();
  VolumeGroupAction::Status& status = out.action.status;
  status.consistency = Consistency::Unknown;
  status.consistency_reason = protect::kLogPending;
  status.inputs.emplace();
  status.inputs->ns = "shop";
  status.inputs->quiescing.profile = "postgresql";
  status.inputs->pods = {{.name = "db-0", .uid = "p", .container = "db", .container_id = "c"}};
  status.inputs->claims = {claim("data", false), claim("data", true)};
  status.triggered.emplace();
  status.triggered->running = {{.name = "log", .state = State::Started}};
  status.triggered->references.resources.resize(2);
  out.members.resize(2);
  for (MemberSeen& each : out.members) each.claim = object("PersistentVolumeClaim", "data");
  return out;
}

SnapshotSeen snapshot(bool done, std::string error = "") {
  SnapshotSeen out{.object = object("VolumeSnapshot", "log")};
  out.cut = done;
  out.error = std::move(error);
  return out;
}

control::OperationRecord checked(const std::string& cuts, const std::string& error = "") {
  control::OperationRecord out;
  out.attempt = 1;
  out.finished_at = "2026-01-01T00:00:01Z";
  out.result = Object{{"cuts", cuts}, {"error", error}};
  return out;
}

std::string verdict(const ActionSeen& seen) {
  const std::optional<Outcome> out = keep_logs(seen);
  if (!out || out->write() == nullptr) return "none";
  return std::string(string_at(out->write()->body, {"status", "consistencyReason"}));
}

TEST(KeepLogs, IsNobodysBusinessWithoutOne) {
  ActionSeen seen = cut();
  seen.action.status.consistency_reason = "Quiesced";
  EXPECT_FALSE(keep_logs(seen));
}

TEST(KeepLogs, TheClaimIsCutAgainUnderANameOfItsOwn) {
  ActionSeen seen = cut();
  const Value body = keep_logs(seen)->write()->body;

  EXPECT_EQ(string_at(body, {"spec", "source", "persistentVolumeClaimName"}), "data");
  EXPECT_EQ(string_at(body, {"metadata", "annotations", kLogOf}), "db-0");
  const std::vector<ClaimRecord>& claims = seen.action.status.inputs->claims;
  EXPECT_EQ(string_at(body, {"metadata", "name"}), cut_name(seen, &claims[1]));
  EXPECT_NE(cut_name(seen, &claims[1]), cut_name(seen, &claims[0]));
}

TEST(KeepLogs, AClaimThatWasMadeAnewHasAnotherLog) {
  ActionSeen seen = cut();
  seen.members[1].claim = {};
  EXPECT_EQ(verdict(seen), "LogNotKept");
}

TEST(KeepLogs, WhatIsLostForOneServerIsNotMadeAgainForTheOther) {
  ActionSeen seen = cut();
  seen.action.status.inputs->claims.push_back(claim("other", true));
  seen.members.emplace_back();  // its claim is gone
  seen.members[1].snapshot = snapshot(true);
  EXPECT_EQ(keep_logs(seen)->write()->text().substr(0, 6), "delete");
  seen.members[1].snapshot.reset();
  EXPECT_EQ(verdict(seen), "LogNotKept");
}

TEST(KeepLogs, ADriverThatSaysNothingIsNotWaitedForForEver) {
  ActionSeen seen = cut();
  seen.members[1].snapshot = snapshot(false);
  seen.action.status.triggered->running[0].started_at = "2026-01-01T00:00:00.000000Z";
  seen.now = WallTime(std::chrono::seconds(1767225600));
  EXPECT_EQ(keep_logs(seen)->write(), nullptr);
  seen.now += std::chrono::hours(2);
  EXPECT_EQ(keep_logs(seen)->write()->text().substr(0, 6), "delete");
}

TEST(KeepLogs, WhetherAllIsThereIsLookedAtAfterTheCut) {
  ActionSeen seen = cut();
  seen.members[1].snapshot = snapshot(false);
  EXPECT_EQ(keep_logs(seen)->asked(), "");
  seen.members[1].snapshot = snapshot(true);
  EXPECT_EQ(keep_logs(seen)->asked(), "log");
  ASSERT_EQ(protect::log_checks(*seen.action.status.inputs).size(), 1U);
  EXPECT_EQ(protect::log_checks(*seen.action.status.inputs)[0].where.pod, "db-0");
}

TEST(KeepLogs, ThenItIsABaseBackup) {
  ActionSeen seen = cut();
  seen.members[1].snapshot = snapshot(true);
  seen.log = checked(log_cuts(seen));
  EXPECT_EQ(verdict(seen), "BaseBackup");
}

TEST(KeepLogs, ACheckOfAnotherCutDoesNotCount) {
  ActionSeen seen = cut();
  seen.members[1].snapshot = snapshot(true);
  seen.log = checked("of one that was deleted ");
  const std::optional<Outcome> out = keep_logs(seen);
  EXPECT_EQ(out->asked(), "log");
  EXPECT_EQ(out->operation()->attempt, 2);
}

TEST(KeepLogs, ALogThatIsNotWholeIsTakenAwayAndSaid) {
  ActionSeen seen = cut();
  seen.members[1].snapshot = snapshot(true);
  seen.log = checked(log_cuts(seen), "exit code 1: 000000010000000000000004 is gone");
  EXPECT_EQ(keep_logs(seen)->write()->text().substr(0, 6), "delete");
  seen.members[1].snapshot.reset();
  EXPECT_EQ(verdict(seen), "LogNotKept");
  const Value body = keep_logs(seen)->write()->body;
  EXPECT_NE(string_at(body, {"status", "consistencyMessage"}).find("is gone"), std::string::npos);
  EXPECT_EQ(model::array_at(body, {"status", "inputs", "claims"}).size(), 1U);
}

TEST(KeepLogs, ADriverThatCannotCutAgainIsHeard) {
  ActionSeen seen = cut();
  seen.members[1].snapshot = snapshot(false, "out of snapshots");
  EXPECT_EQ(keep_logs(seen)->asked(), "log");
  EXPECT_EQ(log_cut_error(seen), "out of snapshots");
}

/// A restore whose volumes are filled.
ActionSeen filled() {
  ActionSeen seen = cut();
  seen.action.status.restores = 1;
  seen.action.status.restoring = "revert";
  seen.action.status.restored.emplace();
  seen.action.status.restored->running = {{.name = "revert", .state = State::Started},
                                          {.name = "log"}};
  for (MemberSeen& each : seen.members) {
    each.staged.emplace();
    each.staged->object = object("PersistentVolumeClaim", "staged");
  }
  return seen;
}

std::string next(const ActionSeen& seen) {
  const std::optional<Outcome> out = put_logs_back(seen, {});
  if (!out) return "done";
  return out->write() == nullptr ? "wait " + out->reason : out->write()->text();
}

TEST(PutLogsBack, APodDoesItThenItIsWrittenDownThenAllOfItGoes) {
  ActionSeen seen = filled();
  const Value pod = put_logs_back(seen, {})->write()->body;
  const Value& container = model::array_at(pod, {"spec", "containers"})[0];
  // One volume for data and log is one volume of the pod, mounted twice.
  EXPECT_EQ(model::array_at(pod, {"spec", "volumes"}).size(), 2U);
  EXPECT_EQ(model::array_at(container, {"volumeMounts"}).size(), 3U);

  seen.members[1].prover = object("Pod", "log");
  seen.members[1].prover_phase = "Running";
  EXPECT_EQ(next(seen), "wait PuttingLogBack");
  seen.members[1].prover_phase = "Succeeded";
  const Value told = put_logs_back(seen, {})->write()->body;
  EXPECT_EQ(string_at(model::array_at(told, {"status", "restored", "running"})[1], {"state"}),
            "Completed");

  seen.action.status.restored->running[1].state = State::Completed;
  EXPECT_EQ(next(seen).substr(0, 11), "delete pods");
  seen.members[1].prover = {};
  EXPECT_EQ(next(seen).substr(0, 13), "delete persis");
  seen.members[1].staged.reset();
  EXPECT_EQ(next(seen), "done");
}

TEST(PutLogsBack, APodThatFailsIsTheEndOfIt) {
  ActionSeen seen = filled();
  seen.members[1].prover = object("Pod", "log");
  seen.members[1].prover_phase = "Failed";
  seen.members[1].prover_message = "error: the log's cut has no segment";
  ASSERT_TRUE(log_trouble(seen));
  EXPECT_EQ(log_trouble(seen)->reason, "LogNotPutBack");
  EXPECT_NE(log_trouble(seen)->message.find("no segment"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
