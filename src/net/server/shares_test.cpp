#include "server/shares.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::net {
namespace {

struct SharesTest : testing::Test {
  Shares shares{{.strangers = 3, .users = 6, .user = 4}};
  std::set<Shares::Id> busy;
  Shares::Waits waits = [this](Shares::Id id) { return !busy.contains(id); };

  Shares::Verdict enter(Shares::Id id) { return shares.enter(id, waits); }
  Shares::Verdict prove(Shares::Id id, const std::string& user) {
    enter(id);
    return shares.prove(id, user, waits);
  }
};

TEST_F(SharesTest, AQuarterIsForStrangersAndHalfOfTheRestForAUser) {
  const Shares::Limits limits = Shares::of(20000);
  EXPECT_EQ(limits.strangers, 5000U);
  EXPECT_EQ(limits.users, 15000U);
  EXPECT_EQ(limits.user, 7500U);
  EXPECT_GE(Shares::of(1).strangers, 1U);
}

TEST_F(SharesTest, TheOldestStrangerThatWaitsMakesRoom) {
  for (const Shares::Id id : {1, 2, 3}) EXPECT_FALSE(enter(id).goes);
  busy = {1};
  EXPECT_EQ(enter(4).goes, 2U);
  EXPECT_EQ(enter(5).goes, 3U);
  EXPECT_EQ(shares.strangers(), 3U);
}

TEST_F(SharesTest, AStrangerMoreStaysOutWhileAllAreBeingAnswered) {
  for (const Shares::Id id : {1, 2, 3}) enter(id);
  busy = {1, 2, 3};
  EXPECT_FALSE(enter(4).stays);
  shares.leave(2);
  EXPECT_TRUE(enter(5).stays);
}

TEST_F(SharesTest, WhoProvesToBeAUserLeavesTheStrangers) {
  for (const Shares::Id id : {1, 2, 3}) EXPECT_FALSE(prove(id, "a").goes);
  EXPECT_EQ(shares.strangers(), 0U);
  EXPECT_EQ(shares.of_user("a"), 3U);
  EXPECT_TRUE(shares.prove(1, "b", waits).stays);
  EXPECT_EQ(shares.of_user("b"), 0U) << "what it proved first counts";
  shares.leave(1);
  EXPECT_EQ(shares.of_user("a"), 2U);
}

TEST_F(SharesTest, AUserPastItsShareGivesUpItsOwnOldest) {
  for (const Shares::Id id : {1, 2, 3, 4}) prove(id, "a");
  prove(9, "b");
  EXPECT_EQ(prove(5, "a").goes, 1U);
  EXPECT_EQ(shares.of_user("a"), 4U);
  EXPECT_EQ(shares.of_user("b"), 1U);
}

TEST_F(SharesTest, AUserWhoseConnectionsAllWorkGetsNoMore) {
  for (const Shares::Id id : {1, 2, 3, 4}) prove(id, "a");
  busy = {1, 2, 3, 4};
  EXPECT_FALSE(prove(5, "a").stays);
  EXPECT_EQ(shares.of_user("a"), 4U);
  EXPECT_EQ(shares.strangers(), 1U);
}

TEST_F(SharesTest, WhenUsersAreFullTheLargestGivesWayEvenFromItsWork) {
  for (const Shares::Id id : {1, 2, 3, 4}) prove(id, "a");
  for (const Shares::Id id : {5, 6}) prove(id, "b");
  busy = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(prove(7, "c").goes, 1U);
  EXPECT_EQ(shares.of_user("a"), 3U);
  EXPECT_EQ(shares.of_user("c"), 1U);
}

TEST_F(SharesTest, NobodyGivesWayToAUserWhoHasAsMuch) {
  for (const Shares::Id id : {1, 2, 3}) prove(id, "a");
  for (const Shares::Id id : {4, 5, 6}) prove(id, "b");
  EXPECT_EQ(prove(7, "a").goes, 1U) << "its own";
  busy = {2, 3, 7};
  EXPECT_FALSE(prove(8, "a").stays);
}

TEST_F(SharesTest, OneThatHadToGoIsForgotten) {
  for (const Shares::Id id : {1, 2, 3, 4}) enter(id);
  EXPECT_TRUE(shares.prove(1, "a", waits).stays);
  EXPECT_EQ(shares.of_user("a"), 0U);
  shares.leave(1);
}

}  // namespace
}  // namespace holdfast::net
