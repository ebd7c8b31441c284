#include "server/warnings.h"

#include <gtest/gtest.h>

namespace holdfast::apiserver {
namespace {

using Lines = std::vector<std::string>;

TEST(Warnings, AreQuotedAndSaidOnce) {
  EXPECT_EQ(warning_headers({"a \"b\"", "c", "a \"b\"", ""}),
            (Lines{R"(299 - "a \"b\"")", R"(299 - "c")"}));
}

TEST(Warnings, ManyLongOnesAreCutAndTheRestIsLeftOut) {
  Lines many;
  for (int i = 0; i < 100; ++i) many.push_back(std::to_string(1000 + i) + std::string(300, 'x'));

  const Lines headers = warning_headers(many);

  ASSERT_EQ(headers.size(), 16U);
  EXPECT_EQ(headers.front(), "299 - \"1000" + std::string(252, 'x') + "\"");
}

TEST(Warnings, CharactersAreCountedAndNeverCutInTwo) {
  const std::string wide = "é";
  std::string text;
  for (int i = 0; i < 300; ++i) text += wide;
  Lines many(1, text);
  many.push_back(std::string(4000, 'y'));

  const Lines headers = warning_headers(many);

  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers[0].size(), std::string("299 - \"\"").size() + 256 * wide.size());
}

}  // namespace
}  // namespace holdfast::apiserver
