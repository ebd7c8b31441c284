#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

std::string next(const char* expression, const char* after, const char* zone = "") {
  const Result<Schedule> schedule = Schedule::parse(expression, zone);
  if (!schedule) return schedule.error().what();
  const std::optional<WallTime> time = schedule->next(*model::parse_rfc3339(after));
  return time ? model::to_rfc3339(*time) : "never";
}

TEST(Schedule, NamesTheNextTimeAfterTheOneGiven) {
  struct Case {
    const char *expression, *after, *next;
  };
  const Case cases[] = {
      {"* * * * *", "2026-03-01T10:00:00Z", "2026-03-01T10:01:00Z"},
      {"* * * * *", "2026-03-01T10:00:59Z", "2026-03-01T10:01:00Z"},
      {"0/15 * * * *", "2026-03-01T10:01:00Z", "2026-03-01T10:15:00Z"},
      {"*/15 * * * *", "2026-03-01T10:45:00Z", "2026-03-01T11:00:00Z"},
      {"20-35/15 * * * *", "2026-03-01T15:45:00Z", "2026-03-01T16:20:00Z"},
      {"20-35/15 * * * *", "2026-03-01T15:20:00Z", "2026-03-01T15:35:00Z"},
      {"5/20 * * * *", "2026-03-01T15:26:00Z", "2026-03-01T15:45:00Z"},
      {"30 3 * * *", "2026-12-31T03:30:00Z", "2027-01-01T03:30:00Z"},
      {"0 0 31 * *", "2026-04-01T00:00:00Z", "2026-05-31T00:00:00Z"},
      {"0 0 29 feb *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 30 2 *", "2026-01-01T00:00:00Z", "never"},
      {"0 12 * * MON-fri", "2026-03-06T12:00:00Z", "2026-03-09T12:00:00Z"},
      {"0 0 ? * sun", "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"},
      {"1,2,50 9,10 * * *", "2026-03-02T09:02:00Z", "2026-03-02T09:50:00Z"},
      {"@daily", "2026-03-02T09:02:00Z", "2026-03-03T00:00:00Z"},
      {"@weekly", "2026-03-02T09:02:00Z", "2026-03-08T00:00:00Z"},
      {"@monthly", "2026-03-02T09:02:00Z", "2026-04-01T00:00:00Z"},
      {"@yearly", "2026-03-02T09:02:00Z", "2027-01-01T00:00:00Z"},
      {"@hourly", "2026-03-02T09:02:00Z", "2026-03-02T10:00:00Z"},
      {"@every 1h30m", "2026-03-02T09:02:07Z", "2026-03-02T10:32:07Z"},
      {"0\t 6 *  * * ", "2026-03-02T09:02:00Z", "2026-03-03T06:00:00Z"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(next(each.expression, each.after), each.next)
        << each.expression << " after " << each.after;
}

TEST(Schedule, EitherOfTwoDayFieldsSufficesUnlessOneSaysNothing) {
  // 2026-03-01 is a Sunday.
  EXPECT_EQ(next("0 0 15 * tue", "2026-03-01T00:00:00Z"), "2026-03-03T00:00:00Z");
  EXPECT_EQ(next("0 0 15 * tue", "2026-03-11T00:00:00Z"), "2026-03-15T00:00:00Z");
  EXPECT_EQ(next("0 0 15 * *", "2026-03-01T00:00:00Z"), "2026-03-15T00:00:00Z");
  EXPECT_EQ(next("0 0 * * tue", "2026-03-03T00:00:00Z"), "2026-03-10T00:00:00Z");
  EXPECT_EQ(next("0 0 */10 * tue", "2026-03-04T00:00:00Z"), "2026-03-10T00:00:00Z")
      << "a step says something";
}

TEST(Schedule, FollowsTheClockOfItsZone) {
  const char* const zone = "America/New_York";
  EXPECT_EQ(next("0 9 * * *", "2026-01-05T00:00:00Z", zone), "2026-01-05T14:00:00Z");
  EXPECT_EQ(next("0 9 * * *", "2026-07-05T00:00:00Z", zone), "2026-07-05T13:00:00Z");
  // Put forward on 2026-03-08 from 02:00 to 03:00: half past two is not there.
  EXPECT_EQ(next("30 2 * * *", "2026-03-08T00:00:00Z", zone), "2026-03-09T06:30:00Z");
  EXPECT_EQ(next("0 * * * *", "2026-03-08T06:00:00Z", zone), "2026-03-08T07:00:00Z");
  // Put back on 2026-11-01 from 02:00 to 01:00: half past one is there twice.
  EXPECT_EQ(next("30 1 1 11 *", "2026-11-01T00:00:00Z", zone), "2026-11-01T05:30:00Z");
  EXPECT_EQ(next("30 1 1 11 *", "2026-11-01T05:30:00Z", zone), "2026-11-01T06:30:00Z");
  // Where midnight itself is left out.
  EXPECT_EQ(next("0 0 * * *", "2018-11-03T12:00:00Z", "America/Sao_Paulo"), "2018-11-05T02:00:00Z");
  EXPECT_EQ(next("30 0 * * *", "2026-01-01T00:00:00Z", "Asia/Kathmandu"), "2026-01-01T18:45:00Z");
}

TEST(Schedule, SaysWhichFieldIsWrong) {
  struct Case {
    const char *expression, *zone, *why;
  };
  const Case cases[] = {
      {"60 * * * *", "", "schedule \"60 * * * *\": minute \"60\": is out of bounds"},
      {"* 24 * * *", "", "schedule \"* 24 * * *\": hour \"24\": is out of bounds"},
      {"* * 0 * *", "", "schedule \"* * 0 * *\": day of month \"0\": is out of bounds"},
      {"* * * 13 *", "", "schedule \"* * * 13 *\": month \"13\": is out of bounds"},
      {"* * * * 7", "", "schedule \"* * * * 7\": day of week \"7\": is out of bounds"},
      {"5-1 * * * *", "",
       "schedule \"5-1 * * * *\": minute \"5-1\": the range ends before it begins"},
      {"*/0 * * * *", "",
       "schedule \"*/0 * * * *\": minute \"*/0\": the step is not a positive number"},
      {"1,, * * * *", "", "schedule \"1,, * * * *\": minute \"1,,\": a value is missing"},
      {"* x * * *", "", "schedule \"* x * * *\": hour \"x\": is not a value, a range or *"},
      {"* mon * * *", "", "schedule \"* mon * * *\": hour \"mon\": is not a value, a range or *"},
      {"* * * an *", "", "schedule \"* * * an *\": month \"an\": is not a value, a range or *"},
      {"1-2-3 * * * *", "",
       "schedule \"1-2-3 * * * *\": minute \"1-2-3\": is not a value, a range or *"},
      {"* * * *", "", "schedule \"* * * *\": 4 fields in place of 5"},
      {"* * * * * *", "", "schedule \"* * * * * *\": 6 fields in place of 5"},
      {"", "", "schedule \"\": 0 fields in place of 5"},
      {"@never", "", "schedule \"@never\": no such name"},
      {"@every 3", "", "schedule \"@every 3\": is not a duration of a second or more"},
      {"CRON_TZ=UTC * * * * *", "", "schedule \"CRON_TZ=UTC * * * * *\": names a time zone"},
      {"* * * * *", "Europe/Atlantis",
       "schedule \"* * * * *\": time zone \"Europe/Atlantis\" is not known"},
      {"* * * * *", "Local", "schedule \"* * * * *\": time zone \"Local\" is not known"},
  };
  for (const Case& each : cases) {
    const Result<Schedule> schedule = Schedule::parse(each.expression, each.zone);
    ASSERT_FALSE(schedule) << each.expression;
    EXPECT_EQ(schedule.error().fault(), Fault::Invalid);
    EXPECT_EQ(schedule.error().what(), each.why);
    EXPECT_FALSE(schedule.error().hint().empty()) << each.expression;
  }
}

}  // namespace
}  // namespace holdfast::protect
