#include <holdfast/model/cron.h>

#include <gtest/gtest.h>

namespace holdfast::model {
namespace {

using Kind = CronFault::Kind;

std::optional<Kind> fault_of(std::string_view text) {
  const auto parsed = parse_cron(text);
  const auto* const fault = std::get_if<CronFault>(&parsed);
  return fault == nullptr ? std::nullopt : std::optional(fault->kind);
}

TEST(Cron, SetsOneBitPerValue) {
  const auto parsed = parse_cron("5/20 1-3,9 ? JAN *");
  const Cron& cron = std::get<Cron>(parsed);
  EXPECT_EQ(cron.fields[kCronMinute].values,
            uint64_t{1} << 5 | uint64_t{1} << 25 | uint64_t{1} << 45);
  EXPECT_EQ(cron.fields[kCronHour].values, 0b1000001110U);
  EXPECT_TRUE(cron.fields[kCronDay].any);
  EXPECT_EQ(cron.fields[kCronMonth].values, 0b10U);
  EXPECT_FALSE(cron.fields[kCronMonth].any);
  EXPECT_FALSE(cron.every);
  EXPECT_FALSE(cron.oddity);
}

TEST(Cron, SaysWhatIsWrong) {
  EXPECT_EQ(fault_of("60 * * * *"), Kind::AboveMost);
  EXPECT_EQ(fault_of("* * 0 * *"), Kind::BelowLeast);
  EXPECT_EQ(fault_of("5-1 * * * *"), Kind::Backwards);
  EXPECT_EQ(fault_of("1-2-3 * * * *"), Kind::Hyphens);
  EXPECT_EQ(fault_of("1/2/3 * * * *"), Kind::Slashes);
  EXPECT_EQ(fault_of("*/0 * * * *"), Kind::ZeroStep);
  EXPECT_EQ(fault_of("-1 * * * *"), Kind::Number) << "an empty number before the hyphen";
  EXPECT_EQ(fault_of("*/-1 * * * *"), Kind::Negative);
  EXPECT_EQ(fault_of("+-1 * * * *"), Kind::Number);
  EXPECT_EQ(fault_of("99999999999999999999 * * * *"), Kind::TooLarge);
  EXPECT_EQ(fault_of("* mon * * *"), Kind::Number) << "days have names, hours have none";
  EXPECT_EQ(fault_of("* * * an *"), Kind::Number);
  EXPECT_EQ(fault_of("* * * *"), Kind::FieldCount);
  EXPECT_EQ(fault_of(" @daily"), Kind::FieldCount);
  EXPECT_EQ(fault_of("@never"), Kind::Descriptor);
  EXPECT_EQ(fault_of("@every x"), Kind::Duration);
  EXPECT_EQ(fault_of("*/9223372036854775807 * * * *"), std::nullopt);
}

TEST(Cron, NotesWhatKubernetesLetsPass) {
  for (const auto& [text, kind] : {std::pair("1,,2 * * * *", Kind::Gap),
                                   {"*-5 * * * *", Kind::StarEnd},
                                   {"+1 * * * *", Kind::Plus}}) {
    const auto parsed = parse_cron(text);
    ASSERT_TRUE(std::holds_alternative<Cron>(parsed)) << text;
    ASSERT_TRUE(std::get<Cron>(parsed).oddity) << text;
    EXPECT_EQ(std::get<Cron>(parsed).oddity->kind, kind) << text;
  }
}

TEST(Cron, TakesNamesAndPeriods) {
  const auto daily = parse_cron("@daily");
  EXPECT_EQ(std::get<Cron>(daily).fields[kCronHour].values, 1U);
  const auto every = parse_cron("@every 1h30m");
  EXPECT_EQ(std::get<Cron>(every).every, std::chrono::minutes(90));
}

}  // namespace
}  // namespace holdfast::model
