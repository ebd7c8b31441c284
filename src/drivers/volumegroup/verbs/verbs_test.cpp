// Texts of `holdfast group`: flags to specs, and actions to lines and exit codes.
#include "action_view.h"
#include "plans.h"
#include "restore_spec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

using Conflict = VolumeGroupAction::Conflict;

FoundAction action(std::string_view status) {
  const std::string text = fmt::format(
      R"({{"apiVersion":"longhorn.io/v1beta2","kind":"VolumeGroupAction",
        "metadata":{{"namespace":"shop","name":"db-1","uid":"u"}},
        "spec":{{"volumeGroup":"db","action":"backup"}},"status":{}}})",
      status);
  return to_action(model::parse_json(text).take().value).take();
}

constexpr const char* kClaims =
    R"("claims":[{"namespace":"shop","name":"a","size":"1Gi","bytes":100,"snapshotID":"0123456789"},
                 {"namespace":"shop","name":"b","size":"1Gi","bytes":28}])";

std::string frozen(std::string_view quiescing) {
  return fmt::format(
      R"("inputs":{{"namespace":"shop","quiescing":{},{},"cut":"VolumeSnapshot","atomic":true,
         "allowUnguarded":false}})",
      quiescing, kClaims);
}

std::string completed(std::string_view reason) {
  return fmt::format(
      R"("conditions":[{{"type":"Completed","status":"True","reason":"{}","message":"2 volumes"}}])",
      reason);
}

TEST(ActionView, TellsTheStepUnderWay) {
  const FoundAction found = action(
      R"({"state":"Started","triggered":{"running":[{"name":"mariadb","state":"Completed"},
          {"name":"snapshot","state":"Started"},{"name":"backup","state":"Pending"}]}})");
  EXPECT_EQ(stage_text(found.action), "Started  snapshot, 2 of 3");
  EXPECT_EQ(stage_text(action("{}").action), "New");
}

TEST(ActionView, ARunIsOverAtRest) {
  EXPECT_FALSE(is_over(action(R"({"state":"Started"})").action, {}));
  EXPECT_TRUE(is_over(action(R"({"state":"Error"})").action, {}));
}

TEST(ActionView, ARestoreIsOverWhenItsOwnIsNotThoseBefore) {
  const ActionGoal second{.restore = true, .restores_before = 1};
  EXPECT_FALSE(is_over(action(R"({"state":"Completed","restores":1})").action, second));
  EXPECT_FALSE(is_over(action(R"({"state":"Restoring","restores":2})").action, second));
  EXPECT_TRUE(is_over(action(R"({"state":"Completed","restores":2})").action, second));
}

TEST(ActionView, ASearchThatFoundNothingEndsTheRestore) {
  const ActionGoal goal{.restore = true, .restores_before = 0, .found_first = true};
  const FoundAction none = action(
      R"({"state":"Error","conditions":[{"type":"Completed","status":"False",
          "reason":"BackupNotFound","message":"no backup"}]})");
  EXPECT_TRUE(is_over(none.action, goal));
  const cli::Ending end = end_of(none, goal);
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.said, "db-1: BackupNotFound: no backup");
  EXPECT_EQ(end.next, "what is there: holdfast group list --location NAME -n shop");
  EXPECT_FALSE(is_over(action(R"({"state":"Completed"})").action, goal));
}

TEST(ActionView, LessConsistentThanAskedForIsCodeThree) {
  const std::string unknown = R"("state":"Completed","consistency":"Unknown",
    "consistencyReason":"LockNotObserved","consistencyMessage":"use profile: mariadb",)";
  const FoundAction asked = action("{" + unknown + frozen(R"({"profile":"mariadb"})") + "," +
                                   completed("BackedUp") + "}");
  EXPECT_EQ(end_of(asked, {}).code, 3);
  EXPECT_EQ(end_of(asked, {}).next, "use profile: mariadb");
  const FoundAction not_asked =
      action("{" + unknown + frozen("{}") + "," + completed("BackedUp") + "}");
  EXPECT_EQ(end_of(not_asked, {}).code, 0);
  EXPECT_EQ(end_of(not_asked, {}).next, "bring it back with: holdfast group restore db-1 -n shop");
}

TEST(ActionView, RowsHaveTheSizeOfBackups) {
  const FoundAction found = action("{\"state\":\"Completed\"," + frozen("{}") + "}");
  EXPECT_EQ(bytes_of(found.action), 128U);
  const std::vector<std::string> row = action_row(found, WallTime{});
  EXPECT_EQ(row[2], "backup");
  EXPECT_EQ(row[5], "128 B");
  EXPECT_EQ(bytes_of(action("{}").action), std::nullopt);
}

TEST(Plans, NameWhatIsReplacedAndKept) {
  const FoundAction found = action("{" + frozen("{}") + "}");
  const auto now = [](const std::string&, const std::string& claim) {
    return claim == "a" ? std::string("pv-now") : std::string();
  };
  const std::string revert = revert_plan(found, now);
  EXPECT_NE(revert.find("claim shop/a (1Gi): a new volume from its snapshot, in place of pv-now, "
                        "which is kept\n"),
            std::string::npos)
      << revert;
  EXPECT_NE(revert.find("claim shop/b (1Gi): a new volume from its snapshot\n"), std::string::npos);
  const std::string replace = replace_plan(found, {.ns = "copy"}, now);
  EXPECT_NE(replace.find("claim copy/a (1Gi): a new volume from backup 01234567, in place of"),
            std::string::npos)
      << replace;
}

TEST(Plans, OfADeletionSayWhetherTheBackupStays) {
  EXPECT_NE(delete_plan(action("{}"), false).find("the backup stays in its repository"),
            std::string::npos);
  EXPECT_NE(delete_plan(action("{}"), true).find("leaves its repository, for good"),
            std::string::npos);
}

TEST(RestoreFlags, BecomeAWish) {
  const auto wish = restore_of({.into = "copy",
                                .conflict = "Rename",
                                .suffix = "-x",
                                .storage_classes = {"slow=fast", "a=b=c"}});
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->ns, "copy");
  EXPECT_EQ(wish->conflict, Conflict::Rename);
  EXPECT_EQ(wish->storage_classes.at("slow"), "fast");
  EXPECT_EQ(wish->storage_classes.at("a"), "b=c");
}

TEST(RestoreFlags, NameWhatIsWrong) {
  EXPECT_EQ(restore_of({.suffix = "-x"}).error().what(), "--suffix is of --conflict Rename");
  for (const char* each : {"fast", "=fast", "slow="})
    EXPECT_EQ(restore_of({.storage_classes = {each}}).error().what(),
              fmt::format("--storage-class {}: not OLD=NEW", each));
}

TEST(SourceFlags, BelongToTheNamespaceUnlessTheySay) {
  EXPECT_EQ(source_of({.group = "db"}, "shop")->group, "shop/db");
  const auto source = source_of(
      {.group = "old/db", .location = "admins/vault", .id = "", .before = "2026-01-02T03:04:05Z"},
      "shop");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->group, "old/db");
  EXPECT_EQ(source->location->ns, "admins");
  EXPECT_EQ(source->before, "2026-01-02T03:04:05Z");
  EXPECT_FALSE(source_of({.group = "db", .before = "yore"}, "shop"));
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
