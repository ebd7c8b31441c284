// Points that a policy expires; each row is one list of points and those that expire.
#include <holdfast/model/time.h>
#include <holdfast/protect/retention.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using Places = std::vector<size_t>;

WallTime at(std::string_view text) { return *model::parse_rfc3339(text); }

const WallTime kNow = at("2026-03-10T12:00:00Z");

/// One a day, the newest first, today's at place 0.
std::vector<RetainedPoint> days(size_t count) {
  std::vector<RetainedPoint> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back({kNow - std::chrono::hours(24 * i + 1), true, false});
  return out;
}

TEST(Retention, EachRuleKeepsItsOwn) {
  struct Row {
    const char* name;
    RetentionPolicy policy;
    std::vector<RetainedPoint> points;
    Places goes;
  };
  const std::vector<RetainedPoint> twice_a_day = {{at("2026-03-10T10:00:00Z"), true},
                                                  {at("2026-03-10T00:00:00Z"), true},
                                                  {at("2026-03-09T23:59:59Z"), true},
                                                  {at("2026-03-09T01:00:00Z"), true}};
  const std::vector<RetainedPoint> sundays_and_mondays = {{at("2026-03-09T08:00:00Z"), true},
                                                          {at("2026-03-08T08:00:00Z"), true},
                                                          {at("2026-03-02T08:00:00Z"), true},
                                                          {at("2026-03-01T08:00:00Z"), true}};
  const std::vector<RetainedPoint> over_years = {{at("2026-01-01T00:00:00Z"), true},
                                                 {at("2025-12-31T23:00:00Z"), true},
                                                 {at("2025-12-01T00:00:00Z"), true},
                                                 {at("2024-07-01T00:00:00Z"), true}};
  const Row rows[] = {
      {"no rule", {}, days(5), {}},
      {"none of anything is no rule", {.keep_last = 0, .keep_within = "0d"}, days(5), {}},
      {"last", {.keep_last = 2}, days(5), {4, 3, 2}},
      {"more than there are", {.keep_last = 9}, days(5), {}},
      {"daily", {.keep_daily = 1}, twice_a_day, {3, 2, 1}},
      {"two days", {.keep_daily = 2}, twice_a_day, {3, 1}},
      {"weekly", {.keep_weekly = 2}, sundays_and_mondays, {3, 2}},
      {"monthly", {.keep_monthly = 2}, over_years, {3, 2}},
      {"yearly", {.keep_yearly = 2}, over_years, {3, 2}},
      {"within", {.keep_within = "2d"}, days(5), {4, 3, 2}},
      {"any rule", {.keep_last = 1, .keep_within = "2d12h"}, days(5), {4, 3}},
      {"what cannot be read", {.keep_last = 1, .keep_within = "soon"}, days(5), {}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(expired(row.points, row.policy, kNow), row.goes) << row.name;
}

TEST(Retention, TheOrderOfThePointsDoesNotMatter) {
  std::vector<RetainedPoint> points = days(4);
  std::swap(points[0], points[2]);
  EXPECT_EQ(expired(points, {.keep_last = 2}, kNow), (Places{3, 0}));
}

TEST(Retention, FailuresPushNothingOutAndGoAfterASuccess) {
  std::vector<RetainedPoint> points = days(5);
  points[0].good = points[1].good = points[3].good = false;
  EXPECT_EQ(expired(points, {.keep_last = 1}, kNow), (Places{4, 3}))
      << "the failures after the newest good one are still news";
  points[2].good = points[4].good = false;
  EXPECT_EQ(expired(points, {.keep_last = 1}, kNow), Places{}) << "none is good";
}

TEST(Retention, WhatIsRunningNeverGoes) {
  std::vector<RetainedPoint> points = days(4);
  points[3] = {points[3].time, false, true};
  points[2] = {points[2].time, true, true};
  EXPECT_EQ(expired(points, {.keep_last = 1}, kNow), Places{1});
}

TEST(Retention, TheNewestGoodOneStaysWhateverTheClockSays) {
  for (const RetentionPolicy& policy :
       {RetentionPolicy{.keep_last = 1}, RetentionPolicy{.keep_within = "1h"},
        RetentionPolicy{.keep_yearly = 1}})
    for (const char* now : {"1970-01-01T00:00:00Z", "2026-03-10T12:00:00Z", "2099-01-01T00:00:00Z"})
      for (const size_t count : {1, 2, 30}) {
        const Places goes = expired(days(count), policy, at(now));
        EXPECT_EQ(std::count(goes.begin(), goes.end(), 0U), 0) << now << " " << count;
        EXPECT_LT(goes.size(), count);
      }
}

TEST(Retention, ObjectsByField) {
  EXPECT_EQ(objection(RetentionPolicy{.keep_last = 3, .keep_within = "1y6m7d12h"}), "");
  EXPECT_EQ(objection(RetentionPolicy{}), "");
  EXPECT_EQ(objection(RetentionPolicy{.keep_weekly = -1}).find("keepWeekly: "), 0U);
  EXPECT_EQ(objection(RetentionPolicy{.keep_within = "2w"}).find("keepWithin: "), 0U);
}

}  // namespace
}  // namespace holdfast::protect
