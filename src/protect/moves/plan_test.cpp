// Plans of DataMoves: the next step for each observed state.
#include "moves/plan.h"

#include "moves/asked.h"
#include "moves/mover_pod.h"
#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Kind = Outcome::Kind;
using Phase = DataMove::Phase;

MoveSeen seen_of(Phase phase, int64_t attempts) {
  MoveSeen seen;
  seen.ns = seen.mover_ns = seen.volume_ns = seen.repository = "shop";
  seen.name = "nightly";
  seen.uid = "11111111-2222-3333-4444-555555555555";
  seen.move.spec.volume = DataMove::Volume{.claim = "data"};
  seen.move.status.phase = phase;
  if (phase != Phase::New) record_asked(seen.move, seen.move.status);
  if (attempts > 0) seen.move.status.attempts = attempts;
  seen.location = LocationSeen{"shop", "here", "", {}, 1};
  seen.location->location.spec.file = BackupLocation::File{"/srv/backup"};
  seen.file_allowed = true;
  seen.object = cached_object("shop", "nightly");
  seen.now = WallTime(std::chrono::seconds(1000));
  return seen;
}

/// The move has a place, and that pod has reported there.
void give_place(MoveSeen& seen, const std::string& pod = "") {
  seen.mover_object = MoverObject{cached_object("shop", "mover-1"), {}};
  seen.mover_object->mover.status.pod = pod;
}

MoverSeen mover(int64_t attempt, std::string phase, const MoveReport& said = {}) {
  MoverSeen out;
  out.attempt = attempt;
  out.name = "nightly-" + std::to_string(attempt);
  out.phase = std::move(phase);
  out.message = to_text(said);
  out.pod = cached_object("shop", out.name);
  return out;
}

/// The status that is written.
DataMove::Status after(const MoveSeen& seen) {
  return status_after(seen.move, plan_move(seen, {}));
}

std::string reason_of(const DataMove::Status& status) {
  return status.conditions.empty() ? "" : status.conditions.back().reason;
}

TEST(MovePlan, GoesStepByStepAndWritesBeforeItActs) {
  MoveSeen seen = seen_of(Phase::New, 0);
  seen.move.status = after(seen);
  EXPECT_EQ(seen.move.status.phase, Phase::Accepted);
  EXPECT_EQ(seen.move.status.asked->volume->claim, "data");
  EXPECT_EQ(seen.move.status.repository, "shop");
  seen.missing = account_of(seen).front();
  EXPECT_EQ(written(plan_move(seen, {})),
            "create movers.holdfast.dev shop/" + mover_object_name(seen.uid));
  give_place(seen);
  seen.missing = account_of(seen)[1];
  EXPECT_EQ(written(plan_move(seen, {})),
            "create serviceaccounts shop/" + mover_object_name(seen.uid));
  seen.missing.reset();
  EXPECT_EQ(after(seen).attempts, 1);
  seen.move.status.attempts = 1;
  const Outcome start = plan_move(seen, {});
  EXPECT_EQ(written(start), "create pods shop/" + mover_name(seen, 1));
  EXPECT_EQ(noted(start).reason, "MoverStarted");
  seen.movers = {mover(1, "Pending")};
  EXPECT_EQ(after(seen).phase, Phase::Prepared);
  seen.movers = {mover(1, "Running")};
  EXPECT_EQ(after(seen).phase, Phase::InProgress);
  seen.move.status.phase = Phase::InProgress;
  seen.move.status.mover = seen.movers[0].name;
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait);
}

TEST(MovePlan, CompletesOnlyWithASnapshot) {
  MoveSeen seen = seen_of(Phase::InProgress, 1);
  seen.movers = {
      mover(1, "Succeeded",
            {.snapshot_id = "abc", .lock_id = "", .bytes_done = 7, .verified = "Structure"})};
  const DataMove::Status status = after(seen);
  EXPECT_EQ(status.phase, Phase::Completed);
  EXPECT_EQ(status.snapshot_id, "abc");
  EXPECT_EQ(status.verified->method, "Structure");
  seen.movers = {mover(1, "Succeeded")};
  EXPECT_NE(after(seen).phase, Phase::Completed);
}

TEST(MovePlan, TriesAgainWhatMayHelpAndNothingElse) {
  MoveSeen seen = seen_of(Phase::InProgress, 1);
  seen.movers = {
      mover(1, "Failed", {.reason = "AccessDenied", .message = "wrong key", .again = false})};
  EXPECT_EQ(after(seen).phase, Phase::Failed);
  EXPECT_EQ(reason_of(after(seen)), "AccessDenied");
  // Killed: no report at all.
  seen.movers[0].message = "";
  seen.movers[0].ended = seen.now - 10s;
  const DataMove::Status next = after(seen);
  EXPECT_EQ(next.attempts, 2);
  EXPECT_EQ(reason_of(next), "MoverDied");
  seen.move.status.attempts = 4;
  seen.movers = {
      mover(4, "Failed", {.reason = "Unavailable", .message = "no answer", .again = true})};
  seen.movers[0].ended = seen.now - 1000s;
  EXPECT_EQ(after(seen).phase, Phase::Failed) << "three attempts after the first";
}

TEST(MovePlan, CancelEndsTheMoverFirst) {
  MoveSeen seen = seen_of(Phase::InProgress, 1);
  seen.move.spec.cancel = true;
  seen.movers = {mover(1, "Running")};
  EXPECT_EQ(after(seen).phase, Phase::Canceling);
  seen.move.status.phase = Phase::Canceling;
  EXPECT_EQ(written(plan_move(seen, {})), "delete pods shop/nightly-1");
  seen.movers[0].deleting = true;
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait);
  seen.movers.clear();
  EXPECT_EQ(after(seen).phase, Phase::Canceled);
}

TEST(MovePlan, GivesUpAMoverThatDoesNotStart) {
  MoveSeen seen = seen_of(Phase::Prepared, 1);
  seen.movers = {mover(1, "Pending")};
  seen.move.status.mover = seen.movers[0].name;
  seen.movers[0].waiting = "ErrImagePull: not there";
  seen.movers[0].created = seen.now - 1min;
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait);
  seen.movers[0].created = seen.now - kStartLimit - 1s;
  const DataMove::Status status = after(seen);
  EXPECT_EQ(reason_of(status), "MoverNotStarted");
  EXPECT_NE(status.conditions.back().message.find("ErrImagePull"), std::string::npos);
  seen.move.status = status;
  EXPECT_EQ(written(plan_move(seen, {})), "delete pods shop/nightly-1")
      << "nobody needs it any more";
}

TEST(MovePlan, RefusesWhatCannotBe) {
  MoveSeen seen = seen_of(Phase::New, 0);
  seen.location->location.spec.read_only = true;
  EXPECT_EQ(reason_of(after(seen)), "ReadOnlyLocation");
  seen.file_allowed = false;
  EXPECT_EQ(reason_of(after(seen)), "FileLocationNotAllowed");
  seen.location.reset();
  seen.no_location = {"NoBackupLocation", "none"};
  EXPECT_EQ(reason_of(after(seen)), "NoBackupLocation");
  seen.move.spec.direction = DataMove::Direction::Restore;
  EXPECT_EQ(reason_of(after(seen)), "InvalidSpec");
  seen.move.spec.volume.reset();
  EXPECT_EQ(reason_of(after(seen)), "InvalidSpec");
}

TEST(MovePlan, OtherNamespacesAreForAdministrators) {
  for (const bool volume : {true, false}) {
    MoveSeen seen = seen_of(Phase::New, 0);
    if (volume) seen.volume_ns = "bank";
    seen.repository = volume ? "shop.bank" : "bank";
    EXPECT_EQ(reason_of(after(seen)), "NamespaceNotAllowed") << volume;
    seen.is_admin = true;
    EXPECT_EQ(after(seen).phase, Phase::Accepted) << volume;
    EXPECT_EQ(after(seen).repository, seen.repository);
  }
}

TEST(MovePlan, AnEditOfWhatWasAskedForIsToldAndNotObeyed) {
  MoveSeen seen = seen_of(Phase::Accepted, 0);
  seen.move.spec.volume->claim = "small";
  seen.move.spec.backoff_limit = 7;
  seen.edited = keep_to_asked(seen.move);
  EXPECT_EQ(seen.edited, std::vector<std::string>{"spec.volume"});
  EXPECT_EQ(seen.move.spec.volume->claim, "data");
  EXPECT_EQ(seen.move.spec.backoff_limit, 7) << "that may be changed";

  const DataMove::Status status = after(seen);

  EXPECT_EQ(reason_of(status), "SpecCannotChange");
  EXPECT_EQ(status.phase, Phase::Accepted);
  seen.move.status = status;
  EXPECT_EQ(after(seen).attempts, 1) << "it goes on as it was asked to";
}

TEST(MovePlan, AnEditedDocumentIsLostUnlessItsMoverHasIt) {
  MoveSeen seen = seen_of(Phase::New, 0);
  seen.move.spec.volume.reset();
  seen.move.spec.document = DataMove::Document{"list", "what it holds"};
  seen.move.status = after(seen);
  EXPECT_FALSE(seen.move.status.asked->document->content) << "twice it would be too large";
  EXPECT_TRUE(keep_to_asked(seen.move).empty());
  EXPECT_EQ(seen.move.spec.document->content, "what it holds");
  seen.move.spec.document->content = "forged";
  seen.edited = keep_to_asked(seen.move);
  EXPECT_FALSE(seen.move.spec.document->content);
  seen.move.status = after(seen);  // it is told
  EXPECT_EQ(reason_of(after(seen)), "SpecChanged");
  give_place(seen);
  EXPECT_EQ(after(seen).attempts, 1);
}

TEST(MovePlan, OneFromBeforeIsAskedForWhatItSays) {
  MoveSeen seen = seen_of(Phase::InProgress, 1);
  seen.move.status.asked.reset();
  seen.movers = {mover(1, "Running")};
  const DataMove::Status status = after(seen);
  EXPECT_EQ(status.asked->volume->claim, "data");
  EXPECT_EQ(status.repository, "shop");
  EXPECT_EQ(status.phase, Phase::InProgress);
}

TEST(MovePlan, NothingIsPutIntoWhatIsNotTheLocationAnyMore) {
  MoveSeen seen = seen_of(Phase::Accepted, 0);
  seen.location->location.status.conditions = {
      {"Available", "False", "RepositoryChanged", "another one", "", 1}};
  EXPECT_EQ(reason_of(after(seen)), "RepositoryChanged");
  seen.movers = {mover(1, "Running")};
  seen.move.status.attempts = 1;
  EXPECT_EQ(after(seen).phase, Phase::InProgress) << "its mover finds out by itself";
  seen.movers.clear();
  seen.move.status.attempts.reset();
  seen.move.spec.direction = DataMove::Direction::Restore;
  seen.move.spec.snapshot = "abc";
  EXPECT_EQ(after(seen).attempts, 1) << "restores only look";
  seen.move.spec.direction = DataMove::Direction::Backup;
  seen.move.spec.snapshot.clear();
  seen.location->location.status.conditions[0].reason = "Unreachable";
  EXPECT_EQ(after(seen).attempts, 1) << "it may be there again by then";
}

TEST(MovePlan, WaitsForAPlaceAndSaysSo) {
  MoveSeen seen = seen_of(Phase::Accepted, 0);
  seen.queued = {"RepositoryBusy", "4 movers are at work"};
  seen.move.status = after(seen);
  EXPECT_EQ(reason_of(seen.move.status), "RepositoryBusy");
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Wait) << "it is said once";
  seen.queued = {};
  const DataMove::Status status = after(seen);
  EXPECT_EQ(status.attempts, 1);
  EXPECT_NE(reason_of(status), "RepositoryBusy");
}

TEST(MovePlan, AMoverThatIsGoneIsAnAttempt) {
  MoveSeen seen = seen_of(Phase::InProgress, 1);
  seen.move.status.mover = "nightly-1";
  EXPECT_EQ(written(plan_move(seen, {})), "create pods shop/" + mover_name(seen, 1))
      << "one that was never seen is made";
  seen.mover_gone = true;
  EXPECT_EQ(after(seen).attempts, 2);
  EXPECT_EQ(reason_of(after(seen)), "MoverDied");
  seen.move.spec.backoff_limit = 0;
  EXPECT_EQ(after(seen).phase, Phase::Failed);
}

TEST(MovePlan, TheMoverGoesLast) {
  MoveSeen seen = seen_of(Phase::Completed, 1);
  give_place(seen);
  seen.movers = {mover(1, "Succeeded")};
  EXPECT_EQ(written(plan_move(seen, {})), "delete pods shop/nightly-1");
  seen.movers.clear();
  EXPECT_EQ(written(plan_move(seen, {})), "delete movers.holdfast.dev shop/mover-1");
  seen.mover_object.reset();
  EXPECT_EQ(plan_move(seen, {}).kind, Kind::Done);
}

TEST(MovePlan, ForgettingIsARightOfItsOwn) {
  MoveSeen seen = seen_of(Phase::New, 0);
  seen.move.spec.volume.reset();
  seen.move.spec.direction = DataMove::Direction::Forget;
  seen.move.spec.all_tagged = true;
  seen.move.spec.tags = {"vga=1"};
  EXPECT_EQ(after(seen).phase, Phase::Accepted) << "in its own namespace";
  seen.location->ns = seen.mover_ns = "admins";
  EXPECT_EQ(reason_of(after(seen)), "ForgetNotAllowed");
  seen.location->location.spec.allow_forget = {"shop"};
  EXPECT_EQ(after(seen).phase, Phase::Accepted);
  seen.location->location.spec.minimum_retention = "30d12h";
  EXPECT_EQ(task_of(seen, 1).access.keep_seconds, (30 * 24 + 12) * 3600);
}

TEST(MovePlan, OneThatFollowsGoesOnAfterItsInterval) {
  MoveSeen seen = seen_of(Phase::Accepted, 0);
  seen.move.spec.follow = DataMove::Follow{"1m"};
  DataMove::Status status = after(seen);
  EXPECT_EQ(status.rounds->current, 1);
  seen.move.status = status;
  seen.movers = {mover(1, "Succeeded", {.snapshot_id = "abc", .lock_id = "", .bytes_done = 7})};
  status = after(seen);
  EXPECT_EQ(status.snapshot_id, "abc");
  EXPECT_NE(status.phase, Phase::Completed);
  EXPECT_EQ(status.rounds->done, 1);
  seen.move.status = status;
  EXPECT_EQ(written(plan_move(seen, {})), "delete pods shop/nightly-1");
  seen.movers.clear();
  EXPECT_EQ(plan_move(seen, {}).again, 60s);
  seen.now += 61s;
  status = after(seen);
  EXPECT_EQ(status.rounds->current, 2);
  EXPECT_EQ(status.phase, Phase::Accepted);
  seen.move.status = status;
  status = after(seen);
  EXPECT_EQ(status.attempts, 2);
  seen.move.status = status;
  EXPECT_TRUE(task_of(seen, 2).earlier_movers.empty()) << "that one left no lock";
  seen.move.spec.cancel = true;
  EXPECT_EQ(after(seen).phase, Phase::Canceled);
}

TEST(MovePlan, ARoundThatFailsIsNotTheEndUnlessNothingCanHelp) {
  MoveSeen seen = seen_of(Phase::InProgress, 5);
  seen.move.spec.follow = DataMove::Follow{"1h"};
  seen.move.spec.backoff_limit = 1;
  seen.move.status.rounds =
      DataMove::Rounds{.current = 3, .done = 2, .attempts_before = 4, .last_time = ""};
  seen.movers = {mover(5, "Failed", {.reason = "Unavailable", .message = "no", .again = true})};
  seen.movers[0].ended = seen.now - 1h;
  EXPECT_EQ(after(seen).attempts, 6) << "one more of this round";
  seen.move.status.attempts = 6;
  seen.movers[0].attempt = 6;
  const DataMove::Status status = after(seen);
  EXPECT_EQ(status.rounds->done, 3);
  EXPECT_EQ(status.rounds->attempts_before, 6);
  EXPECT_EQ(reason_of(status), "Unavailable");
  EXPECT_EQ(status.phase, Phase::InProgress);
  seen.movers[0].message = to_text(MoveReport{.reason = "AccessDenied", .message = "wrong key"});
  EXPECT_EQ(after(seen).phase, Phase::Failed);
  seen.move.spec.follow->interval = "often";
  EXPECT_EQ(reason_of(after(seen)), "InvalidSpec");
}

TEST(MovePlan, TheRightToExecuteIsTakenAwayBeforeWhatIsStaged) {
  MoveSeen seen = seen_of(Phase::Completed, 1);
  seen.exec_allowed = seen.staging.has_finalizer = true;
  seen.objects.exec_role = seen.objects.exec_binding = cached_object("shop", "may");
  EXPECT_EQ(written(plan_move(seen, {})), "delete rolebindings.rbac.authorization.k8s.io shop/may");
  seen.objects.exec_binding = {};
  EXPECT_EQ(written(plan_move(seen, {})), "delete roles.rbac.authorization.k8s.io shop/may");
  seen.exec_allowed = false;
  EXPECT_EQ(written(plan_move(seen, {})), "patch datamoves.holdfast.dev shop/nightly");
}

TEST(MoverPod, HoldsNoSecret) {
  MoveSeen seen = seen_of(Phase::Accepted, 2);
  seen.location->location.spec.password = SecretKey{"pw", "password"};
  const MoveTask task = task_of(seen, 2);
  EXPECT_EQ(task.access.repository, "/holdfast/repository/shop") << "no path of a person's";
  EXPECT_EQ(task.earlier_movers, std::vector<std::string>{mover_name(seen, 1)});
  EXPECT_EQ(task.access.derived_for, "");
  const Result<MoveTask> again = parse_move_task(to_text(task));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_text(*again), to_text(task));
  seen.location->ns = "admins";
  EXPECT_EQ(task_of(seen, 1).access.derived_for, "shop");
  EXPECT_NE(derived_password("p", "shop"), derived_password("p", "other"));
  EXPECT_EQ(derived_password("p", "shop").size(), 64U);
}

TEST(MovePlan, TellsTheMoverItsTags) {
  MoveSeen seen = seen_of(Phase::Accepted, 1);
  using Tags = std::vector<std::string>;
  const std::string own = "dm=" + seen.uid;
  EXPECT_EQ(task_of(seen, 1).tags, (Tags{"pvc=shop/data", own}));
  seen.move.spec.tags = {"vg=shop/db", "x"};
  EXPECT_EQ(task_of(seen, 1).tags, (Tags{"pvc=shop/data", own, "vg=shop/db", "x"}));
  seen.move.spec.tags = {"vg=shop/db", "pvc=shop/first"};
  EXPECT_EQ(task_of(seen, 1).tags, (Tags{own, "vg=shop/db", "pvc=shop/first"}));
}

TEST(MovePlan, ADocumentNeedsNoVolumeAndIsNotToldInTheEnvironment) {
  MoveSeen seen = seen_of(Phase::Accepted, 1);
  seen.mover_ns = "admins";
  seen.location->ns = "admins";
  seen.move.spec.volume.reset();
  seen.move.spec.document = DataMove::Document{"catalogue.json", "what it holds"};
  EXPECT_FALSE(is_staged(seen));
  const MoveTask task = task_of(seen, 1);
  EXPECT_EQ(task.document, "catalogue.json");
  EXPECT_EQ(task.tags.front(), "document=shop/catalogue.json");
  EXPECT_EQ(to_text(task).find("what it holds"), std::string::npos);
  const model::Value pod = mover_pod(seen, 1, {});
  EXPECT_EQ(model::string_at(pod, {"metadata", "namespace"}), "admins");
  for (const model::Value& volume : model::array_at(pod, {"spec", "volumes"}))
    EXPECT_NE(model::string_at(volume, {"name"}), "data");
}

TEST(MovePlan, OnlyMoversThatRestoreMayMakeDeviceNodes) {
  const auto asked = [](DataMove::Direction direction) {
    MoveSeen seen = seen_of(Phase::Accepted, 1);
    seen.move.spec.direction = direction;
    const model::Value pod = mover_pod(seen, 1, {});
    const model::Value& container = model::array_at(pod, {"spec", "containers"}).at(0);
    const model::Value* context = model::find(container, {"securityContext"});
    return context != nullptr ? model::to_json(*context) : "";
  };

  EXPECT_EQ(asked(DataMove::Direction::Restore), R"({"capabilities":{"add":["MKNOD"]}})");
  EXPECT_EQ(asked(DataMove::Direction::Backup), "");
}

TEST(MovePlan, RestoredDocumentsAreProvenWithoutASnapshot) {
  MoveSeen seen = seen_of(Phase::InProgress, 1);
  seen.move.spec.volume.reset();
  seen.move.spec.direction = DataMove::Direction::Restore;
  seen.move.spec.document = DataMove::Document{.name = "catalogue.json"};
  seen.move.spec.find = DataMove::Find{{"vg=shop/db"}, "2026-01-02T03:04:05Z", 7};
  const Result<MoveTask> task = parse_move_task(to_text(task_of(seen, 1)));
  ASSERT_TRUE(task) << task.error().what();
  ASSERT_TRUE(task->find);
  EXPECT_EQ(task->find->tags, std::vector<std::string>{"vg=shop/db"});
  EXPECT_EQ(task->find->before, "2026-01-02T03:04:05Z");
  EXPECT_EQ(task->find->limit, 7);
  seen.movers = {mover(1, "Succeeded", {.bytes_done = 0, .verified = "Content", .count = 0})};
  EXPECT_NE(after(seen).phase, Phase::Completed) << "nobody has told them";
  give_place(seen, seen.movers[0].name);
  seen.mover_object->mover.status.documents = {{"abc", "2026-01-02T03:04:05Z", "text", ""}};
  EXPECT_EQ(after(seen).phase, Phase::Completed);
  EXPECT_EQ(after(seen).documents.front().content, "text");
  seen.movers = {mover(1, "Succeeded")};
  EXPECT_NE(after(seen).phase, Phase::Completed);
}

TEST(MovePlan, ForgetsOnlyWhereItMayWrite) {
  MoveSeen seen = seen_of(Phase::InProgress, 1);
  seen.move.spec.volume.reset();
  seen.move.spec.direction = DataMove::Direction::Forget;
  seen.move.spec.snapshots = {std::string(64, 'a')};
  seen.move.spec.tags = {"pvc=shop/data", "vg=shop/db"};
  const Result<MoveTask> task = parse_move_task(to_text(task_of(seen, 1)));
  ASSERT_TRUE(task) << task.error().what();
  EXPECT_EQ(task->direction, "Forget");
  EXPECT_EQ(task->snapshots, seen.move.spec.snapshots);
  EXPECT_EQ(task->tags, seen.move.spec.tags) << "no tag of our own may widen or narrow it";
  seen.movers = {mover(1, "Succeeded", {.verified = "Listing", .count = 1})};
  give_place(seen, seen.movers[0].name);
  EXPECT_EQ(after(seen).phase, Phase::Completed);
  seen.location->location.spec.read_only = true;
  EXPECT_EQ(after(seen).phase, Phase::Failed);
  EXPECT_EQ(reason_of(after(seen)), "ReadOnlyLocation");
}

}  // namespace
}  // namespace holdfast::protect
