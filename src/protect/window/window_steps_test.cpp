#include <holdfast/protect/cut/window_steps.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

Quiescing two_actions() {
  Quiescing out;
  out.profile = "mariadb";
  out.pre_actions = {{.name = "hold"}};
  out.post_actions = {{.name = "go"}};
  return out;
}

std::vector<Step> planned() {
  std::vector<Step> out = window_steps(two_actions());
  out.push_back({.name = "backup"});
  return out;
}

std::string text(const std::vector<Step>& steps) {
  std::string out;
  for (const Step& each : steps) {
    out += each.name + (each.pod.empty() ? "" : "@" + each.pod);
    out += "=" + std::string(model::word(each.state)) + " ";
  }
  return out;
}

TEST(WindowSteps, ArePlannedInTheirOrder) {
  EXPECT_EQ(text(planned()),
            "mariadb=Pending hold=Pending snapshot=Pending go=Pending backup=Pending ");
}

TEST(WindowSteps, WhatRanInTwoPodsStandsThereTwiceAndTheBackupIsStillToCome) {
  WindowResult window;
  window.cut_asked_at = "2026-01-01T00:00:00Z";
  window.steps = {{.name = "hold", .pod = "a", .state = "Completed"},
                  {.name = "hold", .pod = "b", .state = "Error"}};
  std::vector<Step> steps = planned();
  tell_window(steps, two_actions(), window);
  EXPECT_EQ(text(steps),
            "mariadb=Skipped hold@a=Completed hold@b=Error snapshot=Completed go=Skipped "
            "backup=Pending ");
}

TEST(WindowSteps, ACutThatWasNeverAskedForIsSkippedAndOneThatFailedSaysWhy) {
  WindowResult window;
  window.reason = "LockNotAcquired";
  window.message = "a long query";
  std::vector<Step> steps = planned();
  tell_window(steps, two_actions(), window);
  EXPECT_EQ(steps[2].state, RunState::Skipped);
  window.cut_asked_at = "2026-01-01T00:00:00Z";
  steps = planned();
  tell_window(steps, two_actions(), window);
  EXPECT_EQ(steps[2].state, RunState::Error);
  EXPECT_EQ(steps[2].error, "a long query");
}

TEST(WindowSteps, WhatADeadOperatorMayHaveBegunWasNotSkipped) {
  WindowResult window;
  window.reason = kInterrupted;
  window.message = "the operator ended";
  std::vector<Step> steps = planned();
  tell_window(steps, two_actions(), window);
  EXPECT_EQ(text(steps), "mariadb=Error hold=Error snapshot=Error go=Error backup=Pending ");
  EXPECT_EQ(steps[1].error, "the operator ended");
}

}  // namespace
}  // namespace holdfast::protect
