#include <holdfast/protect/steps.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using State = RunState;

const WallTime kNow{std::chrono::seconds(60)};
const std::string kMicro = "1970-01-01T00:01:00.000000Z";

TEST(Steps, BeginOnceAndEndOnce) {
  std::vector<Step> steps = {{.name = "freeze"}, {.name = "cut"}};
  tell_step(steps, "freeze", State::Started, "", kNow);
  EXPECT_EQ(steps[0].started_at, kMicro);
  EXPECT_EQ(steps[0].finished_at, "");
  tell_step(steps, "freeze", State::Completed, "", kNow + std::chrono::seconds(1));
  EXPECT_EQ(steps[0].started_at, kMicro);
  EXPECT_EQ(steps[0].finished_at, "1970-01-01T00:01:01.000000Z");
  EXPECT_EQ(steps[1].state, State::Pending);
}

TEST(Steps, ARunThatFailsEndsWhatWasUnderWay) {
  RunStatus run;
  run.running = {{.name = "freeze", .state = State::Completed},
                 {.name = "cut", .state = State::Started},
                 {.name = "upload"}};
  end_run(run, State::Error, "no room", kNow);
  EXPECT_TRUE(run.running.empty());
  ASSERT_EQ(run.last.size(), 3U);
  EXPECT_EQ(run.last[0].error, "");
  EXPECT_EQ(run.last[1].state, State::Error);
  EXPECT_EQ(run.last[1].error, "no room");
  EXPECT_EQ(run.last[2].state, State::Skipped);
  EXPECT_EQ(run.stopped, "1970-01-01T00:01:00Z");
}

TEST(Steps, HaveBegunOnlyIfTheyWereNotLeftOut) {
  RunStatus run;
  run.running = {{.name = "cut", .state = State::Completed}, {.name = "upload"}};
  EXPECT_TRUE(has_begun(run, "cut"));
  EXPECT_FALSE(has_begun(run, "upload"));
  end_run(run, State::Completed, "", kNow);
  EXPECT_TRUE(has_begun(run, "cut")) << "of the last run, too";
  EXPECT_FALSE(has_begun(run, "upload")) << "it was skipped";
  EXPECT_FALSE(has_begun(run, "download"));
}

TEST(Steps, WhatWasRefusedBeforeItsFirstStepFailedAtThat) {
  RunStatus run;
  run.running = {{.name = "freeze"}, {.name = "cut"}};
  end_run(run, State::Error, "no members", kNow);
  EXPECT_EQ(run.last[0].state, State::Error);
  EXPECT_EQ(run.last[0].error, "no members");
  EXPECT_EQ(run.last[1].state, State::Skipped);
}

}  // namespace
}  // namespace holdfast::protect
