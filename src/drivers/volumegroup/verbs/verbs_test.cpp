// Texts of `holdfast group`: actions to lines, plans and exit codes.
#include "action_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

FoundAction action(std::string_view status) {
  const std::string text = fmt::format(
      R"({{"apiVersion":"longhorn.io/v1beta2","kind":"VolumeGroupAction",
        "metadata":{{"namespace":"shop","name":"db-1","uid":"u"}},
        "spec":{{"volumeGroup":"db","action":"backup"}},"status":{}}})",
      status);
  return cli::to_found<VolumeGroupAction>(model::parse_json(text).take().value).take();
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
  EXPECT_EQ(stage_text(found.typed), "Started  snapshot, 2 of 3");
  EXPECT_EQ(stage_text(action("{}").typed), "New");
}

TEST(ActionView, ARunIsOverAtRest) {
  EXPECT_FALSE(is_over(action(R"({"state":"Started"})").typed, {}));
  EXPECT_TRUE(is_over(action(R"({"state":"Error"})").typed, {}));
}

TEST(ActionView, ARestoreIsOverWhenItsOwnIsNotThoseBefore) {
  const ActionGoal second{.restore = true, .restores_before = 1};
  EXPECT_FALSE(is_over(action(R"({"state":"Completed","restores":1})").typed, second));
  EXPECT_FALSE(is_over(action(R"({"state":"Restoring","restores":2})").typed, second));
  EXPECT_TRUE(is_over(action(R"({"state":"Completed","restores":2})").typed, second));
}

TEST(ActionView, ASearchThatFoundNothingEndsTheRestore) {
  const ActionGoal goal{.restore = true, .restores_before = 0, .found_first = true};
  const FoundAction none = action(
      R"({"state":"Error","conditions":[{"type":"Completed","status":"False",
          "reason":"BackupNotFound","message":"no backup"}]})");
  EXPECT_TRUE(is_over(none.typed, goal));
  const cli::Ending end = end_of(none, goal);
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.said, "db-1: BackupNotFound: no backup");
  EXPECT_EQ(end.next, "what is there: holdfast group list --location NAME -n shop");
  EXPECT_FALSE(is_over(action(R"({"state":"Completed"})").typed, goal));
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
  const std::vector<std::string> row = action_row(found, WallTime{});
  EXPECT_EQ(row[2], "backup");
  EXPECT_EQ(row[5], "128 B");
  EXPECT_EQ(action_row(action("{}"), WallTime{})[5], "–");
}

TEST(Plans, SayWhereNewVolumesComeFrom) {
  const FoundAction found = action("{" + frozen("{}") + "}");
  const auto none = [](const std::string&, const std::string&) { return std::string(); };
  EXPECT_EQ(revert_plan(found, none),
            "revert of db-1 (backup of db, ):\n"
            "  claim shop/a (1Gi): a new volume from its snapshot\n"
            "  claim shop/b (1Gi): a new volume from its snapshot\n");
  EXPECT_NE(replace_plan(found, "copy", none).find("claim copy/a (1Gi): a new volume from backup"),
            std::string::npos);
  EXPECT_NE(revert_plan(action("{}"), none).find("nothing: it has cut nothing"), std::string::npos);
}

TEST(Plans, OfADeletionSayWhetherTheBackupStays) {
  EXPECT_NE(delete_plan(action("{}"), false).find("the backup stays in its repository"),
            std::string::npos);
  EXPECT_NE(delete_plan(action("{}"), true).find("leaves its repository, for good"),
            std::string::npos);
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
