#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

WallTime at(const char* text) { return *model::parse_rfc3339(text); }

const WallTime kSince = at("2026-03-01T00:00:00Z"), kNow = at("2026-03-01T10:30:00Z");

TEST(Due, WhatWasMissedIsDueOnceAndTheLastOfAllCounts) {
  const Due out = due({{.cron = "0 2 * * *"}, {.cron = "0 * * * *"}}, kSince, kNow);
  EXPECT_EQ(out.missed, at("2026-03-01T10:00:00Z"));
  EXPECT_EQ(out.which, 1U);
  EXPECT_EQ(out.next, at("2026-03-01T11:00:00Z"));
}

TEST(Due, OneThatIsTooLateIsLeftOut) {
  const Due late = due({{.cron = "0 10 * * *", .starting_deadline_seconds = 60}}, kSince, kNow);
  EXPECT_FALSE(late.missed);
  EXPECT_EQ(late.next, at("2026-03-02T10:00:00Z"));
  const Due early = due({{.cron = "0 10 * * *", .starting_deadline_seconds = 1800}}, kSince, kNow);
  EXPECT_TRUE(early.missed);
}

TEST(Due, OneThatCannotBeReadDoesNotStopTheOthers) {
  const Due out = due({{.cron = "x"}, {.cron = "0 11 * * *"}}, kSince, kNow);
  ASSERT_TRUE(out.error);
  EXPECT_NE(out.error->what().find("schedule \"x\""), std::string::npos);
  EXPECT_FALSE(out.missed);
  EXPECT_EQ(out.next, at("2026-03-01T11:00:00Z"));
}

TEST(Due, OneThatIsSuspendedIsNeverDue) {
  const Due out = due({{.cron = "* * * * *", .suspend = true}}, kSince, kNow);
  EXPECT_FALSE(out.missed || out.next);
}

}  // namespace
}  // namespace holdfast::protect
