#include <holdfast/protect/cut/held_pods.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

std::vector<PodRecord> pods(std::initializer_list<const char*> uids) {
  std::vector<PodRecord> out;
  for (const char* uid : uids) out.push_back({.name = uid, .uid = uid});
  return out;
}

TEST(HeldPods, APodIsOneOwnersUntilItLetsGo) {
  HeldPods held;
  EXPECT_TRUE(held.take("group", pods({"db-0", "db-1"})));
  EXPECT_TRUE(held.take("group", pods({"db-0"})));

  EXPECT_FALSE(held.take("galera", pods({"db-1", "db-2"})));

  held.release("group");
  EXPECT_TRUE(held.take("galera", pods({"db-1", "db-2"})));
}

TEST(HeldPods, WhoIsRefusedHoldsNothing) {
  HeldPods held;
  held.take("group", pods({"db-1"}));
  held.take("galera", pods({"db-0", "db-1"}));

  EXPECT_TRUE(held.take("third", pods({"db-0"})));
}

}  // namespace
}  // namespace holdfast::protect
