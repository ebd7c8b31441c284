#include <holdfast/protect/cut/verdict.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

CutInputs group(bool atomic, const std::string& profile = "mariadb") {
  CutInputs out;
  out.atomic = atomic;
  out.quiescing.profile = profile;
  return out;
}

WindowResult held() {
  WindowResult out;
  out.quiesced = out.observed = out.held = true;
  out.frozen_at = "2026-01-02T03:04:05.100000Z";
  out.thawed_at = "2026-01-02T03:04:05.150000Z";
  out.creation_times = {"2026-01-02T03:04:05Z"};
  return out;
}

std::pair<Consistency, std::string> verdict(const CutInputs& inputs, const WindowResult& window) {
  const Verdict out = judge(inputs, window);
  return {out.consistency, out.reason};
}

TEST(Verdict, ApplicationWhenTheLockWasSeenHeldOverAnAtomicCut) {
  EXPECT_EQ(verdict(group(true), held()),
            std::pair(Consistency::Application, std::string("Quiesced")));
}

TEST(Verdict, ALockThatStopsCommitsIsNotEnoughForCutsOneAfterTheOther) {
  EXPECT_EQ(verdict(group(false), held()),
            std::pair(Consistency::Unknown, std::string("CutsNotAtomic")));
}

TEST(Verdict, ABaseBackupWaitsForItsLog) {
  CutInputs inputs = group(false, "postgresql");
  inputs.claims.emplace_back();
  inputs.claims[0].name = "data";
  inputs.pods.emplace_back();
  inputs.pods[0].mounts = {{"/data", "data", ""}};
  EXPECT_EQ(verdict(inputs, held()).second, "CutsNotAtomic");
  WindowResult window = held();
  for (const char* each :
       {"LABEL backup_label "
        "U1RBUlQgV0FMIExPQ0FUSU9OOiAwLzQwMDAwMjggKGZpbGUgMDAwMDAwMDEwMDAwMDAwMDAwMDAwMDA0KQo= .",
        "WAL 000000010000000000000004 .", "AT data /data", "AT log /data/pg_wal"})
    window.notes.push_back({"", each});
  EXPECT_EQ(verdict(inputs, window), std::pair(Consistency::Unknown, std::string(kLogPending)));
}

TEST(Verdict, AFrozenFilesystemIsEnoughForThem) {
  EXPECT_EQ(verdict(group(false, "fsfreeze"), held()).first, Consistency::Application);
}

TEST(Verdict, WithoutQuiesceAnAtomicCutIsWhatACrashWouldLeave) {
  EXPECT_EQ(verdict(group(true, ""), {}),
            std::pair(Consistency::Crash, std::string("NotQuiesced")));
}

TEST(Verdict, WithoutQuiesceCutsOneAfterTheOtherSayNothing) {
  EXPECT_EQ(verdict(group(false, ""), {}),
            std::pair(Consistency::Unknown, std::string("CutsNotAtomic")));
}

TEST(Verdict, CommandsThatEndedCannotShowALock) {
  CutInputs inputs = group(true, "");
  inputs.quiescing.pre_actions = {{.name = "lock", .args = {"sh", "-c", "mysql -e 'FLUSH …'"}}};
  WindowResult window = held();
  window.observed = false;

  const Verdict said = judge(inputs, window);

  EXPECT_EQ(said.consistency, Consistency::Unknown);
  EXPECT_EQ(said.reason, "LockNotObserved");
  EXPECT_NE(said.message.find("profile: mariadb"), std::string::npos) << said.message;
}

TEST(Verdict, ACommandWhoseEndWasNotSeenMakesItUnknown) {
  WindowResult window = held();
  window.unseen = {"flush in container db of pod db-0"};
  EXPECT_EQ(verdict(group(true), window),
            std::pair(Consistency::Unknown, std::string("EndNotSeen")));
  EXPECT_NE(judge(group(true), window).message.find("flush in container db of pod db-0"),
            std::string::npos);

  window.observed = false;
  EXPECT_EQ(verdict(group(true), window).second, "LockNotObserved");
  EXPECT_NE(judge(group(true), window).message.find("flush in container db"), std::string::npos);
}

TEST(Verdict, ASessionThatWasLostIsUnknown) {
  WindowResult window = held();
  window.held = false;
  EXPECT_EQ(verdict(group(true), window),
            std::pair(Consistency::Unknown, std::string("SessionLost")));
}

TEST(Verdict, ADriversClockFarOutsideTheWindowVetoes) {
  WindowResult window = held();
  window.creation_times = {"2026-01-02T03:03:05Z"};
  EXPECT_EQ(verdict(group(true), window),
            std::pair(Consistency::Unknown, std::string("CutOutsideWindow")));
}

TEST(Verdict, WhatFailedKeepsItsReason) {
  WindowResult window = held();
  window.reason = "LockNotAcquired";
  window.message = "a long SELECT";
  EXPECT_EQ(verdict(group(true), window),
            std::pair(Consistency::Unknown, std::string("LockNotAcquired")));
}

}  // namespace
}  // namespace holdfast::protect
