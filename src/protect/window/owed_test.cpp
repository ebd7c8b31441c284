// Post actions after a window: whose they are, when they are tried, and how long guards may act.
#include <holdfast/protect/cut/owed.h>
#include <holdfast/protect/cut/window_operations.h>

#include "pass_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::OperationRecord;
using model::Array;
using model::Object;
using model::Value;
using Kind = NextRelease::Kind;

const WallTime kNow{std::chrono::seconds(1767225600)};  // 2026-01-01T00:00:00Z

/// Two pods of a server, each with two actions that let go of it again.
CutInputs inputs() {
  CutInputs out;
  out.ns = "shop";
  out.quiescing.pre_actions = {{.name = "lock", .args = {"lock"}}};
  out.quiescing.post_actions = {{.name = "unlock", .args = {"unlock"}},
                                {.name = "tell", .args = {"tell"}}};
  for (const char* name : {"db-0", "db-1"})
    out.pods.push_back({.name = name,
                        .uid = std::string(name) + "-uid",
                        .container = "db",
                        .container_id = std::string(name) + "-1"});
  return out;
}

OperationRecord tried(const std::vector<Owed>& left, int64_t attempt = 1) {
  OperationRecord out;
  out.name = "release";
  out.attempt = attempt;
  out.started_at = out.finished_at = "2026-01-01T00:00:00Z";
  out.outcome = "Succeeded";
  Value result;
  model::field_type<std::vector<Owed>>().encode(&left, result);
  out.result = result;
  return out;
}

TEST(Owed, AfterADeadOperatorAllPostActionsOfAllPodsAre) {
  const std::vector<Owed> owed = all_owed(inputs());
  ASSERT_EQ(owed.size(), 2U);
  EXPECT_EQ(owed[1].pod, "db-1");
  EXPECT_EQ(owed[1].commands, (std::vector<std::string>{"unlock", "tell"}));

  CutInputs none = inputs();
  none.quiescing.post_actions.clear();
  EXPECT_TRUE(all_owed(none).empty());
}

TEST(Owed, OnlyWhatIsOwedIsRunAndOnlyWhereItIs) {
  const std::vector<QuiesceTarget> targets =
      owed_targets(inputs(), {{.pod = "db-1", .commands = {"tell"}, .error = ""}});
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0].where.pod, "db-1");
  ASSERT_EQ(targets[0].after.size(), 1U);
  EXPECT_EQ(targets[0].after[0].name, "tell");
  EXPECT_TRUE(targets[0].before.empty()) << "nothing is held still again";
}

TEST(Owed, WhatATryLeftIsToldBeforeTheNextOne) {
  const std::vector<Owed> before = all_owed(inputs());
  const std::vector<Owed> left = {before[0]};
  EXPECT_EQ(next_release({}, before, kNow).kind, Kind::Try);

  const NextRelease told = next_release(tried(left), before, kNow);
  EXPECT_EQ(told.kind, Kind::Tell);
  ASSERT_EQ(told.left.size(), 1U);

  EXPECT_EQ(next_release(tried(left), left, kNow).kind, Kind::Wait) << "told already";
}

TEST(Owed, TriesComeWithGrowingPausesOfHalfAMinuteAtMost) {
  const std::vector<Owed> left = all_owed(inputs());
  EXPECT_EQ(next_release(tried(left, 1), left, kNow).again, 2s);
  EXPECT_EQ(next_release(tried(left, 3), left, kNow).again, 8s);
  EXPECT_EQ(next_release(tried(left, 40), left, kNow).again, 30s);

  const NextRelease due = next_release(tried(left, 3), left, kNow + 8s);
  EXPECT_EQ(due.kind, Kind::Try);
  EXPECT_EQ(due.attempt, 4);
}

TEST(Owed, ATryOfADeadOperatorIsGoneOnWith) {
  OperationRecord begun = tried({}, 2);
  begun.finished_at.clear();
  EXPECT_EQ(next_release(begun, all_owed(inputs()), kNow).attempt, 2);
}

TEST(Owed, GuardsThatWereNotSentHomeActUntilTheirDeadline) {
  CutInputs group = inputs();
  group.quiescing.freeze_deadline_seconds = 10;
  WindowSeen well, lingering, unknown, again;
  well.window = lingering.window = unknown.window = again.window = tried({});
  well.window_result = lingering.window_result = again.window_result.emplace();
  lingering.window_result->lingering = true;
  again.release = tried({});

  EXPECT_FALSE(guards_act_for(group, {}, kNow)) << "there was no window";
  EXPECT_FALSE(guards_act_for(group, well, kNow)) << "sent home";
  EXPECT_EQ(guards_act_for(group, lingering, kNow + 4s), 9001ms);
  EXPECT_EQ(guards_act_for(group, unknown, kNow), 13001ms) << "nobody knows";
  EXPECT_TRUE(guards_act_for(group, lingering, kNow + 11s)) << "the kill comes after the term";
  EXPECT_FALSE(guards_act_for(group, lingering, kNow + 14s));
  // What was run again for a debt may have a guard of its own.
  EXPECT_TRUE(guards_act_for(group, again, kNow + 4s));

  group.quiescing.post_actions.clear();
  EXPECT_TRUE(guards_act_for(group, unknown, kNow)) << "a session on a node that is lost";
  group.quiescing.pre_actions.clear();
  EXPECT_FALSE(guards_act_for(group, unknown, kNow)) << "nothing was quiesced";
}

/// A run as its object tells of it, with its window begun.
Value run_object(std::string_view state) {
  const CutInputs of = inputs();
  Value recorded;
  model::field_type<CutInputs>().encode(&of, recorded);
  return Object{
      {"status", Object{{"state", state},
                        {"inputs", recorded},
                        {"operations", Array{Object{{"name", "window"}, {"attempt", 1}}}}}}};
}

void end_operation(Value& run, const char* name, std::optional<WindowResult> result) {
  Object record{{"name", name}, {"attempt", 1}, {"finishedAt", "2026-01-01T00:00:00Z"}};
  if (result) model::field_type<WindowResult>().encode(&*result, record["result"]);
  Value& all = run.at("status").at("operations");
  Array kept{record};
  for (const Value& each : all.as_array())
    if (model::string_at(each, {"name"}) != name) kept.push_back(each);
  all = std::move(kept);
}

TEST(Owed, ARunKeepsItsPodsFromItsIntentUntilTheWindowIsClosedAndTold) {
  Value run = run_object("Started");
  EXPECT_EQ(pods_kept(run, kNow).size(), 2U) << "begun";

  end_operation(run, "window", WindowResult());
  EXPECT_EQ(pods_kept(run, kNow).size(), 2U) << "what it owes is not told yet";

  run.at("status").as_object()["consistency"] = "Application";
  EXPECT_TRUE(pods_kept(run, kNow).empty()) << "not for the upload";

  EXPECT_TRUE(pods_kept(run_object("Error"), kNow).empty());
  run = run_object("Started");
  run.at("status").as_object().erase("operations");
  EXPECT_TRUE(pods_kept(run, kNow).empty()) << "not begun";
}

TEST(Owed, ARunThatOwesKeepsItsPodsUntilItIsPaidAndNoGuardActs) {
  Value run = run_object("Started");
  end_operation(run, "window", WindowResult());
  Object& status = run.at("status").as_object();
  status["consistency"] = "Unknown";
  status["owed"] = Array{Object{{"pod", "db-0"}, {"commands", Array{"unlock"}}}};
  EXPECT_EQ(pods_kept(run, kNow + 1h).size(), 2U);

  status.erase("owed");
  end_operation(run, "release", {});
  EXPECT_EQ(pods_kept(run, kNow + 4s).size(), 2U) << "a guard may act";
  EXPECT_TRUE(pods_kept(run, kNow + 14s).empty()) << "not for the upload";
}

TEST(Owed, WhatAWindowLeftIsReadFromTheObject) {
  Value run = run_object("Started");
  EXPECT_TRUE(window_seen(run).window && window_seen(run).window->begun_and_unknown());
  EXPECT_FALSE(window_seen(run).window_result);
  WindowResult result;
  result.reason = "SessionLost";
  end_operation(run, "window", result);
  ASSERT_TRUE(window_seen(run).window_result);
  EXPECT_EQ(window_seen(run).window_result->reason, "SessionLost");
}

TEST(Owed, IsOfAContainerAndRunInTheOrderInWhichItIsOwed) {
  CutInputs group = inputs();
  group.quiescing.post_actions.push_back(
      {.name = "flush", .container = "cache", .args = {"flush"}});
  ASSERT_EQ(all_owed(group).size(), 4U);
  EXPECT_EQ(all_owed(group)[1].container, "cache");

  const std::vector<QuiesceTarget> targets =
      owed_targets(group, {{.pod = "db-1", .container = "cache", .commands = {"flush"}},
                           {.pod = "db-0", .container = "db", .commands = {"tell", "unlock"}}});
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].where.pod + "/" + targets[0].where.container, "db-1/cache");
  EXPECT_EQ(targets[1].after[0].name, "tell");
  EXPECT_EQ(owed_targets(group, {{.pod = "db-0", .commands = {"flush", "tell"}}}).size(), 2U)
      << "as earlier versions wrote it";
}

TEST(Owed, TheTextNamesThePodAndTheError) {
  EXPECT_EQ(leak_text({}), "");
  EXPECT_EQ(leak_text({{.pod = "db-0", .commands = {"unlock"}, .error = "no route"}}),
            "pod db-0 may still be quiesced; post actions not confirmed: no route");
}

Value pod(const char* uid, const char* container_id) {
  return Object{{"metadata", Object{{"namespace", "shop"}, {"name", "db-0"}, {"uid", uid}}},
                {"spec", Object{{"containers", Array{Object{{"name", "db"}}}}}},
                {"status", Object{{"containerStatuses",
                                   Array{Object{{"name", "db"}, {"containerID", container_id}}}}}}};
}

// A pod that was replaced, or a container that was started again, holds nothing still any more: a
// command for its predecessor would hit what lives.
TEST(Owed, OnlyTheContainerThatWasQuiescedIsReleased) {
  PassOverServer pass(kNow);
  const QuiesceTarget target{.where = {"shop", "db-0", "db", ""}};

  EXPECT_FALSE(still_there(pass, inputs(), target)) << "the pod is gone";
  pass.server().hold(kube::kPods, pod("db-0-uid", "db-0-1"));
  EXPECT_TRUE(still_there(pass, inputs(), target));
  pass.server().hold(kube::kPods, pod("db-0-uid", "db-0-2"));
  EXPECT_FALSE(still_there(pass, inputs(), target)) << "started again";
  pass.server().hold(kube::kPods, pod("another", "db-0-1"));
  EXPECT_FALSE(still_there(pass, inputs(), target)) << "another pod of that name";
}

}  // namespace
}  // namespace holdfast::protect
