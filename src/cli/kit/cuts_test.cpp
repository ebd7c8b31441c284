// Cuts in words: what is quiesced, what was cut, and what becomes of claims.
#include <holdfast/cli/cuts.h>

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using model::Array;
using model::Object;
using protect::ClaimRecord;

std::vector<ClaimRecord> claims() {
  std::vector<ClaimRecord> out(3);
  for (ClaimRecord& each : out) {
    each.ns = "shop";
    each.size = "1Gi";
  }
  out[0].name = "a";
  out[0].bytes = 100;
  out[0].snapshot_id = "0123456789";
  out[1].name = "b";
  out[1].bytes = 28;
  out[2].name = "a";
  out[2].bytes = 1000;
  out[2].log = protect::LogRecord{.pod = "db-0"};
  return out;
}

TEST(Cuts, AnApplicationIsHeldStillInAnOrder) {
  protect::Quiescing how;
  EXPECT_EQ(way_text(how), "not quiesced while it is cut");
  how.profile = "mariadb";
  how.post_actions.emplace_back().name = "tell";
  EXPECT_EQ(way_text(how), "profile mariadb → cut → tell; within 10 s");
}

TEST(Cuts, MembersHaveNamesOrLabels) {
  EXPECT_EQ(members_text({.names = {"a", "b"}, .ns = "shop"}), "Pod a, b of namespace shop");
  EXPECT_EQ(members_text({.kind = protect::MemberKind::Namespace,
                          .selector = Object{{"matchLabels", Object{{"app", "db"}}}}}),
            R"(Namespace with labels {"matchLabels":{"app":"db"}})");
}

TEST(Cuts, LogsAreNoPartOfWhatABackupHolds) {
  EXPECT_EQ(bytes_of(claims()), 128U);
  EXPECT_EQ(bytes_of({}), std::nullopt);
}

TEST(Cuts, PlansNameWhatIsReplacedAndKept) {
  const auto now = [](const std::string&, const std::string& claim) {
    return claim == "a" ? std::string("pv-now") : std::string();
  };
  EXPECT_EQ(replacing_text(claims(), BroughtBack::FromSnapshots, "", now),
            "  claim shop/a (1Gi): a new volume from its snapshot, in place of pv-now, which is "
            "kept\n"
            "  claim shop/b (1Gi): a new volume from its snapshot\n");
  EXPECT_TRUE(replacing_text(claims(), BroughtBack::FromBackup, "copy", now)
                  .starts_with("  claim copy/a (1Gi): a new volume from backup 01234567, in place "
                               "of pv-now"));
}

TEST(Cuts, AreToldWithTheirWindowAndWhatIsOwed) {
  const Array operations{Object{{"name", "release"}},
                         Object{{"name", "window"},
                                {"result", Object{{"quiesced", true},
                                                  {"windowMicros", 1500},
                                                  {"acquireMicros", 200},
                                                  {"cutMicros", 1000}}}}};
  const std::vector<protect::Owed> owed{
      {.pod = "db-0", .container = "db", .commands = {"unlock"}, .error = "gone"}};
  Sheet sheet;
  tell_cut(sheet, {protect::Verdict{protect::Consistency::Crash, "NothingHeldStill", "it ran on"},
                   operations, owed});
  EXPECT_EQ(
      sheet.text(),
      "Consistency:  Crash (NothingHeldStill): it ran on\n"
      "Window:       quiesced for 1.5 ms, after 0.2 ms to acquire the locks; the cut took 1.0 ms\n"
      "Still Owed:   unlock in container db of pod db-0: gone\n");
  tell_cut(sheet, {std::nullopt, {}, {}});
  EXPECT_EQ(sheet.text(), "");
}

TEST(Cuts, WhatWouldBeCutIsToldWithItsOrderAndRights) {
  protect::CutInputs inputs;
  inputs.ns = "shop";
  inputs.cut = protect::Cut::Group;
  inputs.account = "backup";
  inputs.quiescing.pre_actions = {{.name = "lock"}};
  inputs.pods = {{.name = "db-0", .container = "db", .mount_paths = {"/data", "/log"}}};
  inputs.claims = {{.name = "a", .volume = "pv", .storage_class = "fast", .size = "1Gi"}};
  EXPECT_EQ(inputs_text(inputs),
            "Would Cut:  1 volumes of namespace shop by VolumeGroupSnapshot, not of one instant\n"
            "Order:      lock → cut\n"
            "Rights:     of backup\n"
            "Would Quiesce:\n"
            "  Pod   Container  Volumes At\n"
            "  ---   ---------  ----------\n"
            "  db-0  db         /data, /log\n"
            "Claims:\n"
            "  Name  Size  Class  Volume  Snapshot Class\n"
            "  ----  ----  -----  ------  --------------\n"
            "  a     1Gi   fast   pv      \n");

  inputs.account.clear();
  inputs.atomic = true;
  const std::string text = inputs_text(inputs);
  EXPECT_NE(text.find(", of one instant\n"), text.npos);
  EXPECT_NE(text.find("the operator's\n"), text.npos);
}

TEST(Cuts, ClaimsAreToldAsFarAsSomethingWasMadeOfThem) {
  Sheet sheet;
  tell_claims(sheet, claims(), {"cut-a"});
  EXPECT_EQ(sheet.text(),
            "Claims:\n"
            "  Name    Size  Volume  Snapshot  Backup    Bytes\n"
            "  ----    ----  ------  --------  ------    -----\n"
            "  shop/a  1Gi           cut-a     01234567  100 B\n");
}

}  // namespace
}  // namespace holdfast::cli
