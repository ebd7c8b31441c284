#include "websocket/talks.h"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::net {
namespace {

TEST(Talks, AUserHasAQuarterOfTheSeatsUntilItGivesThemBack) {
  Talks talks(8);
  std::shared_ptr<void> one = talks.seat("alice");
  const std::shared_ptr<void> two = talks.seat("alice");
  ASSERT_TRUE(one && two);

  EXPECT_EQ(talks.seat("alice"), nullptr);
  EXPECT_NE(talks.seat("bob"), nullptr);
  one.reset();
  EXPECT_NE(talks.seat("alice"), nullptr);
}

TEST(Talks, WithoutUsersAllSeatsAreFree) {
  Talks talks(8);
  std::vector<std::shared_ptr<void>> seats;
  for (int i = 0; i < 8; ++i) seats.push_back(talks.seat(""));
  EXPECT_NE(seats.back(), nullptr);
  EXPECT_EQ(talks.seat(""), nullptr);
  EXPECT_EQ(talks.size(), 8U);
}

}  // namespace
}  // namespace holdfast::net
