#include "job/indexes.h"

#include <gtest/gtest.h>

namespace holdfast::workloads::job {
namespace {

TEST(JobIndexes, WritesPairsWithACommaAndRunsWithADash) {
  EXPECT_EQ(Indexes({0, 2, 3, 5, 6, 7}).text(), "0,2,3,5-7");
  EXPECT_EQ(Indexes().text(), "");
}

TEST(JobIndexes, ReadsWhatItWritesAndCutsAtTheCompletions) {
  EXPECT_EQ(Indexes::parse("0,2,3,5-7", 100), Indexes({0, 2, 3, 5, 6, 7}));
  EXPECT_EQ(Indexes::parse("0,2,3,5-7", 6).text(), "0,2,3,5");
  EXPECT_EQ(Indexes::parse("0,x,4-y,5", 100).text(), "0,5");
}

TEST(JobIndexes, JoinsAndCounts) {
  const Indexes low = Indexes::parse("0-3,8", 20), high = Indexes::parse("2-5,7", 20);

  EXPECT_EQ(low.with(high).text(), "0-5,7,8");
  EXPECT_EQ(low.with(high).size(), 8);
  EXPECT_EQ(low.in_common_with(high), 2);
}

TEST(JobIndexes, KnowsItsMembers) {
  const Indexes some = Indexes::parse("1,4-6", 10);
  for (const int64_t in : {1, 4, 5, 6}) EXPECT_TRUE(some.has(in)) << in;
  for (const int64_t out : {0, 2, 3, 7}) EXPECT_FALSE(some.has(out)) << out;
}

TEST(JobIndexes, FindsTheLowestMissing) {
  const Indexes some = Indexes::parse("1,4-6", 10);
  EXPECT_EQ(some.first_missing(3, 10), (std::vector<int64_t>{0, 2, 3}));
  EXPECT_EQ(some.first_missing(10, 8), (std::vector<int64_t>{0, 2, 3, 7}));
}

}  // namespace
}  // namespace holdfast::workloads::job
