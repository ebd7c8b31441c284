#include <holdfast/protect/cut/quiesce.h>

#include "quiesce/scripted_exec.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

QuiesceCommand command(const std::string& name, const std::string& undo = "") {
  return {.name = name, .args = {name}, .timeout = 3s, .undo = undo};
}

QuiesceTarget target(const std::string& container, std::vector<QuiesceCommand> before,
                     std::vector<QuiesceCommand> after) {
  return {
      .where = {"shop", "db-0", container}, .before = std::move(before), .after = std::move(after)};
}

/// One pod with two containers, each with a pair of its own.
QuiesceTask two_containers() {
  return {.targets = {target("db", {command("lock-db")}, {command("unlock-db")}),
                      target("cache", {command("lock-cache")}, {command("unlock-cache")})}};
}

std::string text(const std::vector<Owed>& owed) {
  std::string out;
  for (const Owed& each : owed) {
    out += each.pod + "/" + each.container + ":";
    for (const std::string& name : each.commands) out += " " + name;
    out += "; ";
  }
  return out;
}

class QuiesceInTwo : public testing::Test {
 protected:
  bool ran(const std::string& what) const {
    return std::count(exec.told().begin(), exec.told().end(), what) > 0;
  }
  ManualClock clock{WallTime(1767225600s)};
  ScriptedExec exec{clock};
};

TEST_F(QuiesceInTwo, EachIsLetGoOnceAndItsGuardIsSentHome) {
  Quiesce quiesce(two_containers(), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_EQ(text(quiesce.owed()), "");
  for (const char* each :
       {"db/unlock-db", "cache/unlock-cache", "db/guard done", "cache/guard done"})
    EXPECT_TRUE(ran(each)) << each;
}

TEST_F(QuiesceInTwo, AFailureAfterTheFirstsPreOwesExactlyTheFirstsPost) {
  QuiesceTask task = two_containers();
  exec.play("lock-db", {.refused = true});
  Quiesce quiesce(std::move(task), exec, clock);

  EXPECT_FALSE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_TRUE(ran("db/unlock-db"));
  EXPECT_FALSE(ran("cache/unlock-cache"));
}

TEST_F(QuiesceInTwo, AGuardThatDidItsPostsPaysForItsOwnContainerOnly) {
  exec.play("unlock-db", {.code = 1});
  exec.play("unlock-cache", {.code = 1});
  exec.play("guard", {.listens = true, .code = 1, .lines = {"HOLDFAST ARMED"}}, "cache");
  Quiesce quiesce(two_containers(), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_TRUE(ran("db/guard ran"));
  EXPECT_EQ(text(quiesce.owed()), "db-0/cache: unlock-cache; ");
}

TEST_F(QuiesceInTwo, WhatHasBegunSaysHowItEndedThoughAnotherFailedFirst) {
  QuiesceTask task = two_containers();
  exec.play("lock-cache", {.refused = true});
  for (const bool ends : {true, false}) {
    exec.play("lock-db", {.takes = ends ? 0s : 1h});
    Quiesce quiesce(task, exec, clock);

    EXPECT_FALSE(quiesce.freeze());
    quiesce.thaw();

    const QuiesceStep& begun = quiesce.steps().front();
    EXPECT_EQ(begun.name, "lock-db");
    EXPECT_EQ(begun.state, ends ? "Completed" : "Error");
    EXPECT_EQ(begun.error.empty(), ends);
    EXPECT_NE(begun.finished_at, "");
    EXPECT_EQ(quiesce.lingering(), !ends);
  }
}

TEST_F(QuiesceInTwo, AContainerWithoutAPreFollowsItsPod) {
  QuiesceTask task{.targets = {target("db", {command("lock-db")}, {}),
                               target("cache", {}, {command("unlock-all")})}};
  Quiesce quiesce(std::move(task), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_TRUE(ran("cache/unlock-all"));
}

TEST_F(QuiesceInTwo, APostThatNamesAPreIsOwedForThatOneInWhicheverContainer) {
  QuiesceTask task{
      .targets = {target("db", {command("lock-db"), command("lock-more")}, {}),
                  target("cache", {command("lock-cache")},
                         {command("undo-db", "lock-db"), command("undo-more", "lock-more")})}};
  exec.play("lock-cache", {.code = 1});
  Quiesce quiesce(std::move(task), exec, clock);

  EXPECT_FALSE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_TRUE(ran("cache/undo-db"));
  EXPECT_FALSE(ran("cache/undo-more"));
}

TEST_F(QuiesceInTwo, AGuardStaysForACommandOfItsOwnContainerThatMayStillRun) {
  exec.play("lock-db", {.takes = 1h});
  Quiesce quiesce(two_containers(), exec, clock);

  EXPECT_FALSE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_EQ(quiesce.reason(), "CommandTimedOut");
  EXPECT_TRUE(quiesce.lingering());
  EXPECT_TRUE(ran("db/guard ran"));
  EXPECT_TRUE(ran("cache/guard done"));
}

TEST_F(QuiesceInTwo, NoPostIsBegunAfterTheDeadlineAndItStaysOwed) {
  exec.play("unlock-db", {.takes = 11s});
  QuiesceTask task = two_containers();
  task.targets[0].after[0].timeout = 30s;
  exec.play("guard", {.listens = true, .code = 1, .lines = {"HOLDFAST ARMED"}});
  Quiesce quiesce(std::move(task), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_FALSE(ran("cache/unlock-cache"));
  EXPECT_EQ(text(quiesce.owed()), "db-0/cache: unlock-cache; ");
}

TEST_F(QuiesceInTwo, ASessionThatIsLostMayHoldItsLockUntilTheDeadline) {
  for (const bool lost : {false, true}) {
    QuiesceTask task{.targets = {target("db", {command("hold")}, {})}};
    task.targets[0].before[0].way = QuiesceCommand::Way::Session;
    exec.play("hold", {.listens = true, .lost = lost, .lines = {"READY"}});
    Quiesce quiesce(std::move(task), exec, clock);

    EXPECT_TRUE(quiesce.freeze());
    quiesce.thaw();

    EXPECT_EQ(quiesce.lingering(), lost);
  }
}

// A kube-apiserver says so of a session whose node is lost.
TEST_F(QuiesceInTwo, ASessionThatIsSaidToHaveEndedWellMayHoldItsLockUntilTheDeadline) {
  QuiesceTask task{.targets = {target("db", {command("hold")}, {})}};
  task.targets[0].before[0].way = QuiesceCommand::Way::Session;
  exec.play("hold", {.listens = true, .cut = true, .lines = {"READY"}});
  Quiesce quiesce(std::move(task), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  EXPECT_FALSE(quiesce.still_frozen());
  quiesce.thaw();

  EXPECT_EQ(quiesce.reason(), "SessionLost");
  EXPECT_TRUE(quiesce.lingering());
}

TEST_F(QuiesceInTwo, APreWhoseEndWasNotSeenHasFailedAndItsPostIsOwed) {
  exec.play("lock-db", {.cut = true});
  Quiesce quiesce(two_containers(), exec, clock);

  const Result<void> frozen = quiesce.freeze();
  quiesce.thaw();

  ASSERT_FALSE(frozen);
  EXPECT_EQ(quiesce.reason(), "SessionLost");
  EXPECT_NE(frozen.error().what().find("its end was not seen"), std::string::npos);
  EXPECT_TRUE(ran("db/unlock-db"));
  EXPECT_TRUE(ran("db/guard ran")) << "it may take its lock only now";
  EXPECT_TRUE(quiesce.lingering());
}

TEST_F(QuiesceInTwo, APostWhoseEndWasNotSeenStaysOwed) {
  exec.play("unlock-db", {.cut = true});
  exec.play("guard", {.listens = true, .code = 1, .lines = {"HOLDFAST ARMED"}});
  Quiesce quiesce(two_containers(), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_EQ(text(quiesce.owed()), "db-0/db: unlock-db; ");
  EXPECT_EQ(text(release_owed(two_containers().targets, exec, clock, 8s)), "db-0/db: unlock-db; ");
}

TEST_F(QuiesceInTwo, AGuardWhoseEndWasNotSeenHasPaidNothingAndMayActUntilTheDeadline) {
  exec.play("unlock-db", {.code = 1});
  exec.play("guard", {.cut = true, .lines = {"HOLDFAST ARMED"}}, "db");
  Quiesce quiesce(two_containers(), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  EXPECT_FALSE(quiesce.still_frozen());
  quiesce.thaw();

  EXPECT_EQ(quiesce.reason(), "GuardLost");
  EXPECT_EQ(text(quiesce.owed()), "db-0/db: unlock-db; ");
  EXPECT_TRUE(quiesce.lingering());
}

TEST_F(QuiesceInTwo, AGuardThatWasSentHomeAndNotSeenToGoMayActUntilTheDeadline) {
  exec.play("guard", {.cut = true, .lines = {"HOLDFAST ARMED"}}, "db");
  Quiesce quiesce(two_containers(), exec, clock);

  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_EQ(text(quiesce.owed()), "");
  EXPECT_TRUE(quiesce.lingering());
}

TEST_F(QuiesceInTwo, WhatMayHaveBegunIsTakenForBegun) {
  for (const bool session : {false, true}) {
    QuiesceTask task = two_containers();
    if (session) task.targets[0].before[0].way = QuiesceCommand::Way::Session;
    exec.play("lock-db", {.refused = true, .ambiguous = true});
    Quiesce quiesce(std::move(task), exec, clock);

    EXPECT_FALSE(quiesce.freeze());
    quiesce.thaw();

    EXPECT_TRUE(quiesce.lingering()) << session;
  }
}

/// Neither has a shell.
class QuiesceWithoutShell : public QuiesceInTwo {
 protected:
  void SetUp() override {
    for (const char* each :
         {"presync", "guard", "lock-db", "unlock-db", "lock-cache", "unlock-cache"})
      exec.play(each, {.no_shell = true});
  }
};

TEST_F(QuiesceWithoutShell, CommandsRunOnlyWhereThatIsAccepted) {
  QuiesceTask task{.targets = {target("db", {command("lock-db")}, {})}};
  Quiesce quiesce(std::move(task), exec, clock);

  quiesce.presync();
  const Result<void> frozen = quiesce.freeze();
  quiesce.thaw();

  ASSERT_FALSE(frozen);
  EXPECT_EQ(quiesce.reason(), "GuardNotPossible");
  EXPECT_NE(frozen.error().what().find("allowUnguarded"), std::string::npos);
  EXPECT_FALSE(ran("db/lock-db") || ran("db/lock-db bare"));
}

TEST_F(QuiesceWithoutShell, WhereItIsTheirEndsAreToldAndNamedAsUnseen) {
  QuiesceTask task = two_containers();
  task.allow_unguarded = true;
  Quiesce quiesce(std::move(task), exec, clock);

  quiesce.presync();
  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_TRUE(ran("db/lock-db bare"));
  EXPECT_TRUE(ran("db/unlock-db bare"));
  EXPECT_EQ(text(quiesce.owed()), "");
  ASSERT_EQ(quiesce.unseen().size(), 4U);
  EXPECT_EQ(quiesce.unseen()[0], "lock-db in container db of pod db-0");
}

TEST_F(QuiesceWithoutShell, WhatIsOwedIsRunAllTheSame) {
  EXPECT_EQ(text(release_owed(two_containers().targets, exec, clock, 8s)), "");
  EXPECT_TRUE(ran("db/unlock-db bare"));
}

TEST_F(QuiesceInTwo, AShellThatDidNotAnswerInTimeIsNotTakenForNone) {
  exec.play("presync", {.lost = true});
  Quiesce quiesce(two_containers(), exec, clock);

  quiesce.presync();
  EXPECT_TRUE(quiesce.freeze());
  quiesce.thaw();

  EXPECT_TRUE(quiesce.unseen().empty());
}

TEST_F(QuiesceInTwo, OnePostThatHangsKeepsNoOtherWaiting) {
  exec.play("unlock-db", {.takes = 1h});
  QuiesceTask task = two_containers();
  task.targets[0].after[0].timeout = 30s;

  const std::vector<Owed> left = release_owed(task.targets, exec, clock, 8s);

  EXPECT_FALSE(ran("cache/unlock-cache")) << "another leader may be there by then";
  EXPECT_EQ(text(left), "db-0/cache: unlock-cache; db-0/db: unlock-db; ");
  EXPECT_EQ(left[0].error, "not begun within 8000 ms");
}

TEST_F(QuiesceInTwo, WhatIsTriedAgainStaysOwedByContainer) {
  exec.play("unlock-cache", {.code = 1});

  EXPECT_EQ(text(release_owed(two_containers().targets, exec, clock, 8s)),
            "db-0/cache: unlock-cache; ");
}

}  // namespace
}  // namespace holdfast::protect
