#include <holdfast/base/process.h>

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using Words = std::vector<std::string>;

TEST(SplitWords, KnowsQuotesAndBackslashes) {
  EXPECT_EQ(*split_words("  pass show 'a b'\t\"c \\\" d\" e\\ f ''"),
            (Words{"pass", "show", "a b", "c \" d", "e f", ""}));
  EXPECT_EQ(split_words("say 'so").error().fault(), Fault::Invalid);
  EXPECT_TRUE(split_words("")->empty());
}

TEST(Process, GivesWhatItsProgramPrints) {
  EXPECT_EQ(*output_of({"sh", "-c", "printf 'a\\nb'"}), "a\nb");
}

TEST(Process, ThatFailsIsAnError) {
  const auto failed = output_of({"sh", "-c", "echo some; exit 7"});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().what().find("code 7"), std::string::npos);
  EXPECT_EQ(output_of({"no-such-program-anywhere"}).error().fault(), Fault::NotFound);
}

TEST(Process, IsReadInPieces) {
  auto process = Process::start({"sh", "-c", "printf abcdef"});
  ASSERT_TRUE(process) << process.error().what();
  std::string all;
  char block[2];
  for (;;) {
    const auto got = process->read(block, sizeof block);
    ASSERT_TRUE(got);
    if (*got == 0) break;
    all.append(block, *got);
  }
  EXPECT_EQ(all, "abcdef");
  EXPECT_TRUE(process->finish());
}

TEST(Process, ThatPrintsNothingIsLeftWhenAskedToStop) {
  auto process = Process::start({"sleep", "1000"});
  ASSERT_TRUE(process) << process.error().what();
  std::stop_source stop;
  stop.request_stop();
  char block[2];

  const auto got = process->read(block, sizeof block, stop.get_token());

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().fault(), Fault::Unavailable);
}

}  // namespace
}  // namespace holdfast
