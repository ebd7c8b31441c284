#include <holdfast/control/outcome.h>

#include <gtest/gtest.h>

namespace holdfast::control {
namespace {

TEST(OutcomeAsk, IsAnActUntilItIsAnsweredAndNothingElseAsks) {
  Outcome outcome = Outcome::ask("release", 3);

  EXPECT_EQ(outcome.kind, Outcome::Kind::Act);
  EXPECT_EQ(outcome.asked(), "release");
  EXPECT_EQ(outcome.operation()->attempt, 3);

  Operation answered = *outcome.operation();
  answered.run = []() -> Result<model::Value> { return model::Value(); };
  EXPECT_EQ(Outcome::act(answered).asked(), "");
  EXPECT_EQ(Outcome::act(Write{}).asked(), "");
  EXPECT_EQ(Outcome::done("AtRest").asked(), "");
}

}  // namespace
}  // namespace holdfast::control
