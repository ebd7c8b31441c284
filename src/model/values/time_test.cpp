#include <holdfast/model/time.h>

namespace holdfast::model {
namespace {

using namespace std::chrono_literals;

TEST(Rfc3339, PrintsUtcWithZeros) {
  const WallTime time = *parse_rfc3339("2026-01-02T03:04:05.000006Z");

  EXPECT_EQ(to_rfc3339(time), "2026-01-02T03:04:05Z");
  EXPECT_EQ(to_rfc3339_micro(time), "2026-01-02T03:04:05.000006Z");
  EXPECT_EQ(to_rfc3339_micro(WallTime(-1us)), "1969-12-31T23:59:59.999999Z");
}

TEST(Rfc3339, ReadsOffsetsAndFractions) {
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("2026-01-02T03:04:05+02:30")), "2026-01-02T00:34:05Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("2026-12-31T23:04:05-01:00")), "2027-01-01T00:04:05Z");
  EXPECT_EQ(to_rfc3339_micro(*parse_rfc3339("2026-01-02T03:04:05.1Z")),
            "2026-01-02T03:04:05.100000Z");
  EXPECT_EQ(to_rfc3339_micro(*parse_rfc3339("2026-01-02T03:04:05.123456789Z")),
            "2026-01-02T03:04:05.123456Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("2024-02-29T00:00:00Z")), "2024-02-29T00:00:00Z");
}

TEST(Rfc3339, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2026-01-02", "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z",
                           "2025-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:04:60Z",
                           "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Zx",
                           "2026-01-02T03:04:05+2:30", "x026-01-02T03:04:05Z"})
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(Duration, ReadsGosForms) {
  EXPECT_EQ(parse_duration("1h30m0s"), 90min);
  EXPECT_EQ(parse_duration("1.5h"), 90min);
  EXPECT_EQ(parse_duration("300ms"), 300ms);
  EXPECT_EQ(parse_duration("-2us"), -2us);
  EXPECT_EQ(parse_duration("3µs"), 3us);
  EXPECT_EQ(parse_duration("0"), 0ns);
  EXPECT_EQ(parse_duration(".5s"), 500ms);
  for (const char* text :
       {"", "-", "5", "s", "1x", ".s", "1h 5m", "9223372036854775808ns", "3000000h"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(HumanDuration, ReadsAsKubectlsAgeColumn) {
  EXPECT_EQ(human_duration(-1s), "0s");
  EXPECT_EQ(human_duration(-2s), "<invalid>");
  EXPECT_EQ(human_duration(119s), "119s");
  EXPECT_EQ(human_duration(120s), "2m");
  EXPECT_EQ(human_duration(200s), "3m20s");
  EXPECT_EQ(human_duration(10min), "10m");
  EXPECT_EQ(human_duration(179min), "179m");
  EXPECT_EQ(human_duration(4h + 5min), "4h5m");
  EXPECT_EQ(human_duration(47h), "47h");
  EXPECT_EQ(human_duration(49h), "2d1h");
  EXPECT_EQ(human_duration(24h * 8), "8d");
  EXPECT_EQ(human_duration(24h * (365 * 3 + 10)), "3y10d");
  EXPECT_EQ(human_duration(24h * 365 * 9), "9y");
}

}  // namespace
}  // namespace holdfast::model
