#include <holdfast/base/random.h>
#include <holdfast/base/result.h>
#include <holdfast/base/text.h>

namespace holdfast {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error(Fault::Invalid, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  const int h = HF_TRY(half(n));
  return half(h);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(3).error().what(), "odd");
}

TEST(Error, ContextReadsOutermostFirst) {
  Error error = Error(Fault::Unavailable, "503")
                    .with_context("GET x")
                    .with_context("read manifest of backup b");

  EXPECT_EQ(error.what(), "read manifest of backup b: GET x: 503");
  EXPECT_TRUE(error.transient());
}

TEST(Random, SeedDecidesEverything) {
  SeededRandom a(7), b(7), c(8);
  EXPECT_EQ(a.uuid(), b.uuid());
  EXPECT_NE(a.uuid(), c.uuid());
}

TEST(Random, UuidIsVersion4) {
  SystemRandom random;
  const std::string id = random.uuid();
  ASSERT_EQ(id.size(), 36u);
  EXPECT_EQ(id[14], '4');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
}

TEST(Text, QuotesAsGoDoes) { EXPECT_EQ(quoted("a\"b\n\x01"), "\"a\\\"b\\n\\x01\""); }

TEST(Text, SplitKeepsEmptyParts) { EXPECT_EQ(split("a,,b", ',').size(), 3u); }

}  // namespace
}  // namespace holdfast
