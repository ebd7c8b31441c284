#include "users/ranges.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::node {
namespace {

struct Ranges : testing::Test {
  Ranges() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "holdfast-ranges.XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~Ranges() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder;
};

TEST_F(Ranges, OfTwoPodsShareNoId) {
  UserRanges ranges(folder, "one");
  std::set<uint32_t> firsts;

  for (int pod = 0; pod < 100; ++pod) firsts.insert(*ranges.take());

  ASSERT_EQ(firsts.size(), 100U);
  for (const uint32_t first : firsts) {
    EXPECT_EQ((first - kFirstId) % kIdsOfPod, 0U);
    EXPECT_GE(first, kFirstId);
    EXPECT_LE(uint64_t(first) + kIdsOfPod, uint64_t(0x7ffe0000));
  }
}

TEST_F(Ranges, OfTwoNodesOfAMachineShareNoId) {
  UserRanges one(folder, "same"), other(folder, "same");

  EXPECT_NE(*one.take(), *other.take());
}

TEST_F(Ranges, AreGivenOutAgainWhenAllOthersHaveBeen) {
  constexpr uint32_t kFew = 20;
  UserRanges ranges(folder, "one", kFew);
  std::set<uint32_t> firsts;
  for (uint32_t pod = 0; pod < kFew; ++pod) firsts.insert(*ranges.take());
  ASSERT_EQ(firsts.size(), kFew);

  const Result<uint32_t> none = ranges.take();
  ranges.give_back(kFirstId + 7 * kIdsOfPod);

  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what(), "all 20 ranges of user ids for pods are taken");
  EXPECT_EQ(*ranges.take(), kFirstId + 7 * kIdsOfPod);
}

TEST_F(Ranges, OfPodsFromBeforeAreNotGivenOut) {
  uint32_t first = 0;
  {
    UserRanges before(folder, "one");
    first = *before.take();
  }
  UserRanges now(folder, "one");

  EXPECT_TRUE(now.keep(first, false));
  EXPECT_FALSE(now.keep(first, false));
  EXPECT_NE(*now.take(), first);
}

TEST_F(Ranges, ThatAnotherNodeHasByNowAreNotKept) {
  UserRanges other(folder, "one");
  const uint32_t first = *other.take();
  UserRanges now(folder, "one");

  const Result<void> kept = now.keep(first, false);

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().fault(), Fault::Conflict);
  EXPECT_TRUE(now.keep(first, true)) << "its own shim has it";
}

TEST_F(Ranges, ThatAreNoneAreRefused) {
  UserRanges ranges(folder, "one");

  for (const uint32_t first : {0U, 1000U, kFirstId + 1, kFirstId + kRanges * kIdsOfPod})
    EXPECT_FALSE(ranges.keep(first, true)) << first;
}

}  // namespace
}  // namespace holdfast::node
