// Texts of `holdfast move`: flags to a DataMove, and a DataMove to lines.
#include "objects/moves/move_spec.h"
#include "objects/moves/move_view.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using Direction = protect::DataMove::Direction;

model::Value json(std::string_view text) { return model::parse_json(text).take().value; }

const WallTime kNow{std::chrono::seconds(1'700'000'000)};  // 2023-11-14T22:13:20Z

model::Value moving() {
  return json(R"({"metadata":{"namespace":"shop","name":"m"},"spec":{"direction":"Backup"},
    "status":{"phase":"InProgress","attempts":2,
      "progress":{"totalBytes":4096,"bytesDone":1024,"bytesPerSecond":512,"bytesUploaded":7,
                  "eta":"2023-11-14T22:13:26Z"},
      "conditions":[{"type":"Accepted","reason":"Accepted","message":"location a/b"}]}})");
}

model::Value ended(std::string_view phase, std::string_view reason, std::string_view message) {
  model::Value move = moving();
  model::Object& status = move.as_object()["status"].as_object();
  status["phase"] = phase;
  status["snapshotID"] = "abc";
  status["verified"] = model::Object{{"method", "Structure"}};
  status["conditions"].as_array().push_back(
      model::Object{{"type", "Completed"}, {"reason", reason}, {"message", message}});
  return move;
}

TEST(MoveView, SaysHowFarItIs) {
  const MoveView view = view_of(moving(), kNow);
  EXPECT_FALSE(view.ended());
  EXPECT_EQ(progress_text(view),
            "InProgress  25.0%  1.000 KiB of 4.000 KiB, 512 B/s, ETA 0:06, attempt 2");
  EXPECT_EQ(json_line(view),
            R"({"message_type":"status","namespace":"shop","name":"m","direction":"Backup",)"
            R"("phase":"InProgress","attempt":2,"bytes_done":1024,"total_bytes":4096,)"
            R"("percent_done":0.25,"bytes_uploaded":7,"bytes_per_second":512,)"
            R"("seconds_remaining":6})");
}

TEST(MoveView, OfAMoveThatNobodyHasLookedAt) {
  const MoveView view = view_of(json(R"({"metadata":{"name":"m"}})"), kNow);
  EXPECT_EQ(progress_text(view), "New");
  EXPECT_EQ(view.attempt, 0);
}

TEST(MoveView, SaysWhyItIsTriedAgain) {
  model::Value move = moving();
  move.as_object()["status"].as_object()["conditions"].as_array().push_back(
      json(R"({"type":"Retrying","reason":"MoverDied","message":"attempt 1 failed: killed"})"));
  EXPECT_TRUE(progress_text(view_of(move, kNow)).ends_with("attempt 2: attempt 1 failed: killed"));
}

// What a backup has moved is no part of what its restore has.
TEST(MovesText, AddsUpTheMovesOfOneDirection) {
  model::Value restore = moving();
  restore.as_object()["spec"].as_object()["direction"] = "Restore";
  EXPECT_EQ(moves_text({moving(), ended("Completed", "Moved", "")}, Direction::Restore, kNow), "");
  EXPECT_EQ(moves_text({moving(), restore}, Direction::Restore, kNow),
            "25.0%  1.000 KiB of 4.000 KiB, 512 B/s");
  EXPECT_EQ(moves_text({restore, restore}, Direction::Restore, kNow),
            "25.0%  2.000 KiB of 8.000 KiB, 1.000 KiB/s");
}

TEST(MovesText, SaysWhatIsRefused) {
  model::Value move = moving();
  move.as_object()["status"].as_object()["conditions"].as_array().push_back(json(
      R"({"type":"Refused","status":"True","reason":"Forbidden","message":"create pods: no"})"));
  EXPECT_TRUE(moves_text({move}, Direction::Backup, kNow)
                  .ends_with("512 B/s  data move shop/m: refused: create pods: no"));
  EXPECT_EQ(view_of(move, kNow).reason, "Forbidden");
  EXPECT_EQ(progress_text(view_of(move, kNow)).find("create pods"), std::string::npos)
      << "who follows it says so";
}

TEST(MoveView, EndsWithASnapshotOrAReason) {
  const MoveView good = view_of(ended("Completed", "Moved", "all"), kNow);
  EXPECT_TRUE(good.ended() && good.completed());
  EXPECT_EQ(end_text(good), "Completed: snapshot abc, 1.000 KiB, verified by Structure");
  const MoveView bad = view_of(ended("Failed", "AccessDenied", "wrong key"), kNow);
  EXPECT_TRUE(bad.ended() && !bad.completed());
  EXPECT_EQ(end_text(bad), "Failed: AccessDenied: wrong key");
  EXPECT_NE(json_line(bad).find(R"("message_type":"summary")"), std::string::npos);
  EXPECT_TRUE(view_of(ended("Canceled", "Canceled", "by spec.cancel"), kNow).ended());
}

TEST(MoveSpec, ReadsWhatIsMoved) {
  const auto claim = backup_move({.volume = "data", .location = "vault", .limit = "10M"});
  ASSERT_TRUE(claim) << claim.error().what();
  EXPECT_EQ(claim->spec.direction, Direction::Backup);
  EXPECT_EQ(claim->spec.volume->claim, "data");
  EXPECT_EQ(claim->spec.location->name, "vault");
  EXPECT_EQ(claim->spec.limits->bytes_per_second, 10 << 20);
  EXPECT_EQ(backup_move({.volume = "pvc/data"})->spec.volume->claim, "data");
  EXPECT_EQ(backup_move({.volume = "volumesnapshot/s"})->spec.volume->snapshot, "s");
  const auto pod = backup_move({.volume = "pod/web", .directory = "/var", .container = "c"});
  ASSERT_TRUE(pod) << pod.error().what();
  EXPECT_EQ(pod->spec.pod->directory, "/var");
  EXPECT_FALSE(pod->spec.volume);
}

TEST(MoveSpec, ReadsCommandsAndRounds) {
  const auto dump = backup_move({.volume = "pod/db", .follow = "15m", .command = {"dump", "-a"}});
  ASSERT_TRUE(dump) << dump.error().what();
  EXPECT_EQ(dump->spec.pod->command, (std::vector<std::string>{"dump", "-a"}));
  EXPECT_EQ(dump->spec.follow->interval, "15m");
}

TEST(MoveSpec, ReadsWhatIsRestored) {
  const auto move = restore_move({.volume = "back", .snapshot = "abc", .location = "admins/vault"});
  ASSERT_TRUE(move) << move.error().what();
  EXPECT_EQ(move->spec.direction, Direction::Restore);
  EXPECT_EQ(move->spec.snapshot, "abc");
  EXPECT_EQ(move->spec.location->ns, "admins");
  EXPECT_FALSE(move->spec.limits);
}

TEST(MoveSpec, NamesTheFlagThatIsWrong) {
  const auto said = [](const MoveFlags& flags) {
    const auto made = backup_move(flags);
    return made ? "" : made.error().what();
  };
  EXPECT_NE(said({.volume = "data", .location = "a/b/c"}).find("--location"), std::string::npos);
  EXPECT_NE(said({.volume = "data", .location = "/b"}).find("--location"), std::string::npos);
  EXPECT_NE(said({.volume = "data", .limit = "fast"}).find("--limit-upload"), std::string::npos);
  EXPECT_NE(said({.volume = "data", .limit = "0"}).find("--limit-upload"), std::string::npos);
  EXPECT_NE(said({.volume = "deployment/web"}).find("deployment/web"), std::string::npos);
  EXPECT_NE(said({.volume = "pvc/"}).find("pvc/"), std::string::npos);
  EXPECT_NE(said({.volume = "pod/web"}).find("--directory"), std::string::npos);
  EXPECT_NE(said({.volume = "pod/web", .directory = "/x", .command = {"a"}}).find("--directory"),
            std::string::npos);
  EXPECT_NE(said({.volume = "data", .command = {"a"}}).find("pod/NAME"), std::string::npos);
  EXPECT_NE(said({.volume = "data", .follow = "often"}).find("--follow"), std::string::npos);
  EXPECT_NE(said({.volume = "data", .directory = "/x"}).find("--directory"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::cli
