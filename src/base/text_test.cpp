#include <holdfast/base/text.h>

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(SwitchedOn, TheFirstMentionWinsAndTheStarMeansAllNotMentioned) {
  EXPECT_TRUE(switched_on("*", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("*,-job-controller", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("-job,*", {"job-controller", "job"}));
  EXPECT_TRUE(switched_on("job,-job-controller", {"job-controller", "job"}));
  EXPECT_TRUE(switched_on(" *, -cronjob ", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("cronjob", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("", {"job-controller", "job"}));
}

TEST(Harmless, WhatSteersATerminalIsWrittenOut) {
  EXPECT_EQ(harmless("h\x1b[31mred\x1b]52;c;ZXZpbA==\x07"),
            "h\\x1b[31mred\\x1b]52;c;ZXZpbA==\\x07");
  EXPECT_EQ(harmless("del\x7f cr\r nul" + std::string(1, '\0')), "del\\x7f cr\\x0d nul\\x00");
  // The same controls in one byte, and as UTF-8 has them.
  EXPECT_EQ(harmless("\x9b"
                     "31m"),
            "\\x9b31m");
  EXPECT_EQ(harmless("\xc2\x9b"
                     "31m"),
            "\\u009b31m");
  EXPECT_EQ(harmless("half\xe2\x82"), "half\\xe2\\x82");
}

TEST(Harmless, WhatReadsAsAnotherNameIsWrittenOut) {
  EXPECT_EQ(harmless("invoice\u202efdp.exe"), "invoice\\u202efdp.exe");
  EXPECT_EQ(harmless("a\u2066b\u2028c\u200fd"), "a\\u2066b\\u2028c\\u200fd");
}

TEST(Harmless, LettersStayWhateverTheirScript) {
  const std::string text = "caf\u00e9 \u65e5\u672c \U0001f512 zero\u200dwidth a\\b";
  EXPECT_EQ(harmless(text), text);
  EXPECT_EQ(harmless_line(text), text);
}

TEST(Harmless, LinesAreBrokenOnlyWhereSeveralAreMeant) {
  EXPECT_EQ(harmless("one\n\ttwo"), "one\n\ttwo");
  EXPECT_EQ(harmless_line("one\n\ttwo"), "one\\x0a\\x09two");
}

}  // namespace
}  // namespace holdfast
