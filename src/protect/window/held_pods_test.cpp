#include <holdfast/protect/cut/held_pods.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

std::vector<PodRecord> pods(std::initializer_list<const char*> uids) {
  std::vector<PodRecord> out;
  for (const char* uid : uids) out.push_back({.name = uid, .uid = uid});
  return out;
}

bool takes(HeldPods& held, const std::string& owner, std::initializer_list<const char*> uids) {
  const Result<bool> out = held.take(owner, pods(uids));
  EXPECT_TRUE(out) << out.error().what();
  return out && *out;
}

TEST(HeldPods, APodIsOneOwnersUntilItLetsGo) {
  HeldPods held;
  EXPECT_TRUE(takes(held, "group", {"db-0", "db-1"}));
  EXPECT_TRUE(takes(held, "group", {"db-0"}));

  EXPECT_FALSE(takes(held, "galera", {"db-1", "db-2"}));

  held.release("group");
  EXPECT_TRUE(takes(held, "galera", {"db-1", "db-2"}));
}

TEST(HeldPods, WhoIsRefusedHoldsNothing) {
  HeldPods held;
  takes(held, "group", {"db-1"});
  takes(held, "galera", {"db-0", "db-1"});

  EXPECT_TRUE(takes(held, "third", {"db-0"}));
}

TEST(HeldPods, WhatAnEarlierOperatorLeftQuiescedIsNotGivenToAnother) {
  HeldPods held;
  held.learn_from([] { return std::vector<PodHolder>{{"group", pods({"db-0"})}}; });
  held.learn_from([] { return std::vector<PodHolder>{{"galera", pods({"db-1"})}}; });

  EXPECT_FALSE(takes(held, "third", {"db-0"}));
  EXPECT_FALSE(takes(held, "third", {"db-1"}));
  EXPECT_TRUE(takes(held, "group", {"db-0"}));

  held.release("group");
  EXPECT_TRUE(takes(held, "third", {"db-0"}));
}

TEST(HeldPods, TheServerIsAskedOnceAndBeforeAnythingIsGiven) {
  HeldPods held;
  int asked = 0;
  bool answers = false;
  held.learn_from([&]() -> Result<std::vector<PodHolder>> {
    ++asked;
    if (!answers) return Error(Fault::Unavailable, "nobody there");
    return std::vector<PodHolder>{};
  });

  EXPECT_TRUE(takes(held, "group", {}));
  EXPECT_EQ(asked, 0) << "no pods, nothing to know";
  EXPECT_FALSE(held.take("group", pods({"db-0"})));

  answers = true;
  EXPECT_TRUE(takes(held, "group", {"db-0"}));
  EXPECT_TRUE(takes(held, "galera", {"db-1"}));
  EXPECT_EQ(asked, 2);
}

TEST(HeldPods, WhatWasReleasedWhileTheServerWasAskedIsNotHeldForEver) {
  HeldPods held;
  held.learn_from([&] {
    held.release("group");
    return std::vector<PodHolder>{{"group", pods({"db-0"})}};
  });

  EXPECT_TRUE(takes(held, "galera", {"db-0"}));
}

}  // namespace
}  // namespace holdfast::protect
