#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

WallTime at(const char* text) { return *model::parse_rfc3339(text); }

const WallTime kSince = at("2026-03-01T00:00:00Z"), kNow = at("2026-03-01T10:30:00Z");

TEST(Due, WhatWasMissedManyTimesIsDueOnce) {
  const Due out = due({{.cron = "0 * * * *", .since = kSince}}, kNow);
  EXPECT_EQ(out.missed, at("2026-03-01T10:00:00Z"));
  EXPECT_EQ(out.next, at("2026-03-01T11:00:00Z"));
}

TEST(Due, AFrequentScheduleDoesNotKeepARareOneFromItsTurn) {
  const WallTime just_now = at("2026-03-01T10:20:00Z");
  const Due out = due({{.cron = "*/5 * * * *", .since = just_now},
                       {.cron = "0 2 * * *", .since = kSince},
                       {.cron = "*/10 * * * *", .since = just_now}},
                      kNow);
  EXPECT_EQ(out.missed, at("2026-03-01T02:00:00Z"));
  EXPECT_EQ(out.which, 1U);
  EXPECT_EQ(out.next, at("2026-03-01T10:35:00Z"));
}

TEST(Due, AScheduleIsKnownByWhatItSays) {
  std::vector<ScheduleWish> wishes{{.cron = "0 2 * * *", .task = "backup"},
                                   {.cron = "0 2 * * *", .task = "snapshot"}};
  std::vector<ScheduleTime> times = times_of(wishes, {}, kSince);
  EXPECT_EQ(times[0].schedule, "backup 0 2 * * *");
  EXPECT_EQ(wishes[0].since, kSince);

  times[0].last_scheduled = "2026-03-01T02:00:00Z";
  std::swap(wishes[0], wishes[1]);
  wishes.push_back({.cron = "0 3 * * *", .task = "backup"});
  times = times_of(wishes, times, kNow);
  EXPECT_EQ(wishes[0].since, kSince);
  EXPECT_EQ(wishes[1].since, at("2026-03-01T02:00:00Z"));
  EXPECT_EQ(wishes[2].since, kNow);
}

TEST(Due, OfTwoSchedulesThatAreAlikeTheLaterTimeCounts) {
  std::vector<ScheduleWish> wishes{{.cron = "@daily", .suspend = true}, {.cron = "@daily"}};
  times_of(wishes, {{"@daily", "2026-03-01T00:00:00Z"}, {"@daily", "2026-03-01T10:00:00Z"}}, kNow);
  EXPECT_EQ(wishes[0].since, at("2026-03-01T10:00:00Z"));
  EXPECT_EQ(wishes[1].since, at("2026-03-01T10:00:00Z"));
}

TEST(Due, OneThatIsTooLateIsLeftOut) {
  const Due late =
      due({{.cron = "0 10 * * *", .starting_deadline_seconds = 60, .since = kSince}}, kNow);
  EXPECT_FALSE(late.missed);
  EXPECT_EQ(late.next, at("2026-03-02T10:00:00Z"));
  const Due early =
      due({{.cron = "0 10 * * *", .starting_deadline_seconds = 1800, .since = kSince}}, kNow);
  EXPECT_TRUE(early.missed);
}

TEST(Due, OneThatRestedForMonthsHasANextTime) {
  const Due out = due(
      {{.cron = "* * * * *", .starting_deadline_seconds = 20, .since = at("2025-03-01T00:00:00Z")}},
      at("2026-03-01T10:30:30Z"));
  EXPECT_FALSE(out.missed);
  EXPECT_EQ(out.next, at("2026-03-01T10:31:00Z"));
}

TEST(Due, OneThatCannotBeReadDoesNotStopTheOthers) {
  const Due out =
      due({{.cron = "x", .since = kSince}, {.cron = "0 11 * * *", .since = kSince}}, kNow);
  ASSERT_TRUE(out.error);
  EXPECT_NE(out.error->what().find("schedule \"x\""), std::string::npos);
  EXPECT_FALSE(out.missed);
  EXPECT_EQ(out.next, at("2026-03-01T11:00:00Z"));
}

TEST(Due, OneThatIsSuspendedIsNeverDue) {
  const Due out = due({{.cron = "* * * * *", .suspend = true, .since = kSince}}, kNow);
  EXPECT_FALSE(out.missed || out.next);
}

}  // namespace
}  // namespace holdfast::protect
