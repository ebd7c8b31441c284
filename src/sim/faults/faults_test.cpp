#include "faults/faults.h"

#include "faults/minimise.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

TEST(Faults, ReadBackAsTheyWereWritten) {
  constexpr std::string_view kText =
      "- {at: write 17, do: crash-before-reply}\n"
      "- {at: call 40, do: answer, code: 503}\n"
      "- {at: stream 3, do: cut-stream, pick: 1}\n"
      "- {at: 12.500000s, do: watch-delay, of: pods, for: 20.000000s}\n"
      "- {at: 1.000000s, do: clock-jump, by: -3600.000000s}\n";

  const auto faults = faults_from_yaml(kText);

  ASSERT_TRUE(faults) << faults.error().what();
  EXPECT_EQ(to_text(*faults), kText);
}

TEST(Faults, RefuseWhatNobodyKnows) {
  EXPECT_FALSE(faults_from_yaml("- {at: 1s, do: explode}"));
  EXPECT_FALSE(faults_from_yaml("- {at: write 0, do: crash-before-reply}"));
  EXPECT_FALSE(faults_from_yaml("- {at: soon, do: relist}"));
  EXPECT_FALSE(faults_from_yaml("- {at: call 3, do: answer, code: 200}"));
  EXPECT_FALSE(faults_from_yaml("{}"));
}

TEST(Faults, DrawnOnesCanBeWrittenDown) {
  Range range;
  for (int kind = 0; kind <= int(Do::CutStream); ++kind) range.kinds.push_back(Do(kind));
  range.resources = {"pods", "jobs"};
  range.recreatable = {"jobs/load"};
  range.edits = 2;
  SeededRandom random(5);

  for (int i = 0; i < 200; ++i) {
    const std::vector<Mishap> drawn =
        draw_faults(range, {50, 200, 9, std::chrono::seconds(30)}, random);
    const auto again = faults_from_yaml(to_text(drawn));
    ASSERT_TRUE(again) << again.error().what() << "\n" << to_text(drawn);
    EXPECT_EQ(to_text(*again), to_text(drawn));
  }
}

TEST(Minimise, KeepsOnlyWhatIsNeeded) {
  std::vector<Mishap> faults(12);
  for (size_t i = 0; i < faults.size(); ++i) faults[i].pick = i;
  const auto holds = [](const std::vector<Mishap>& some, uint64_t pick) {
    for (const Mishap& each : some)
      if (each.pick == pick) return true;
    return false;
  };

  const std::vector<Mishap> left = minimise(
      faults, [&](const std::vector<Mishap>& some) { return holds(some, 3) && holds(some, 10); });

  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].pick, 3U);
  EXPECT_EQ(left[1].pick, 10U);
}

}  // namespace
}  // namespace holdfast::sim
