#include "world/schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

class Scripted final : public Actor {
 public:
  Scripted(std::string name, std::optional<MonoTime> due, std::function<void(Scripted&)> act)
      : when(due), name_(std::move(name)), act_(std::move(act)) {}
  std::string_view name() const override { return name_; }
  std::optional<MonoTime> due() override { return when; }
  void step() override { act_(*this); }
  std::optional<MonoTime> when;

 private:
  std::string name_;
  std::function<void(Scripted&)> act_;
};

struct ScheduleTest : testing::Test {
  ManualClock clock{WallTime(0s)};
  SeededRandom random{7};
  Schedule schedule{clock, random};
};

TEST_F(ScheduleTest, TimeJumpsToTheNextWhoIsDue) {
  Scripted late("late", 90s, [](Scripted& self) { self.when.reset(); });
  schedule.add(late);

  EXPECT_FALSE(schedule.step());
  EXPECT_TRUE(schedule.jump(2min));

  EXPECT_EQ(clock.mono(), MonoTime(90s));
  EXPECT_TRUE(schedule.step());
  EXPECT_FALSE(schedule.jump(2min));
  EXPECT_EQ(clock.mono(), MonoTime(2min));
}

TEST_F(ScheduleTest, OthersMoveWhileOneSleepsButNeverItself) {
  int own = 0, other = 0;
  Scripted sleeper("sleeper", 0s, [&](Scripted& self) {
    ++own;
    schedule.wait_until(clock.mono() + 10s);
    self.when.reset();
  });
  Scripted ticker("ticker", 1s, [&](Scripted& self) {
    ++other;
    *self.when += 1s;
  });
  schedule.add(sleeper);
  schedule.add(ticker);

  EXPECT_TRUE(schedule.step());

  EXPECT_EQ(own, 1);
  EXPECT_EQ(other, 9);  // the tenth is due when the sleep is over
  EXPECT_EQ(clock.mono(), MonoTime(10s));
}

TEST_F(ScheduleTest, NobodyMovesOnTopOfWhatIsToEnd) {
  int moved = 0;
  Scripted sleeper("sleeper", 0s, [&](Scripted&) { schedule.wait_until(clock.mono() + 5s); });
  Scripted other("other", 1s, [&](Scripted&) { ++moved; });
  schedule.add(sleeper);
  schedule.add(other);
  schedule.set_unwinding([] { return true; });

  EXPECT_TRUE(schedule.step());

  EXPECT_EQ(moved, 0);
  EXPECT_EQ(clock.mono(), MonoTime(5s));
}

TEST_F(ScheduleTest, TheSameSeedGivesTheSameOrder) {
  const auto order = [](uint64_t seed) {
    ManualClock own_clock(WallTime(0s));
    SeededRandom own_random(seed);
    Schedule own(own_clock, own_random);
    std::string text;
    Scripted a("a", 0s, [&](Scripted&) { text += 'a'; });
    Scripted b("b", 0s, [&](Scripted&) { text += 'b'; });
    own.add(a);
    own.add(b);
    for (int i = 0; i < 64; ++i) own.step();
    return text;
  };

  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

}  // namespace
}  // namespace holdfast::sim
