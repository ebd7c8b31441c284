#include <holdfast/cli/words.h>

#include "repo/print/json_object.h"
#include "repo/print/table.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

TEST(Words, SizesAreReadInPowersOf1024AndRefusedWithTheirFlag) {
  EXPECT_EQ(*parse_size("--x", "512"), 512U);
  EXPECT_EQ(*parse_size("--x", "64k"), 65536U);
  EXPECT_EQ(*parse_size("--x", "1.5G"), 1536ULL << 20);
  EXPECT_EQ(*parse_size("--x", "200MiB"), 200ULL << 20);
  for (const char* bad : {"", "k", "5x", "-1", "5kk", "99999999t"}) {
    const auto read = parse_size("--limit", bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_NE(read.error().what().find("--limit"), std::string::npos);
  }
}

TEST(Words, SizesAreSaidWithThreeDigits) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(3000015), "2.861 MiB");
}

TEST(Words, DurationsAreGos) {
  EXPECT_EQ(*parse_duration("--x", "1h30m"), std::chrono::minutes(90));
  EXPECT_EQ(*parse_duration("--x", "90s"), std::chrono::seconds(90));
  EXPECT_EQ(*parse_duration("--x", "0"), std::chrono::seconds(0));
  for (const char* bad : {"", "5", "m", "5d", "1h m"})
    EXPECT_FALSE(parse_duration("--x", bad)) << bad;
  EXPECT_EQ(clock_text(std::chrono::seconds(3909)), "1:05:09");
  EXPECT_EQ(clock_text(std::chrono::seconds(7)), "0:07");
}

TEST(Words, TimesAreThoseOfThisMachine) {
  const auto read = parse_local_time("--time", "2026-03-01 04:05:06");
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_EQ(local_time(*read), "2026-03-01 04:05:06");
  EXPECT_EQ(local_time(*parse_local_time("--time", "2026-03-01")), "2026-03-01 00:00:00");
  EXPECT_FALSE(parse_local_time("--time", "2026-03-01 04"));
}

TEST(JsonObject, EscapesAsGoDoes) {
  EXPECT_EQ(json_text("a\"\\\n\x01<&\xff\xe2\x80\xa8é"),
            "\"a\\\"\\\\\\n\\u0001\\u003c\\u0026\xef\xbf\xbd\\u2028é\"");
  EXPECT_EQ(JsonObject().text("a", "b").number("n", 5).flag("f", true).take(),
            R"({"a":"b","n":5,"f":true})");
  EXPECT_EQ(JsonObject("{}").texts("l", {"x", "y"}).take(), R"({"l":["x","y"]})");
  EXPECT_EQ(JsonObject(R"({"a":1})").raw("b", "null").take(), R"({"a":1,"b":null})");
}

TEST(JsonObject, IsLaidOutWithALineForEachMember) {
  EXPECT_EQ(
      indented(R"({"a":{"b":"x:{,"},"c":[],"d":[1,2]})"),
      "{\n  \"a\": {\n    \"b\": \"x:{,\"\n  },\n  \"c\": [],\n  \"d\": [\n    1,\n    2\n  ]\n}");
}

TEST(Table, ColumnsAreAsWideAsTheirWidestLine) {
  Table table({"A", "B"});
  table.row({{"é"}, {"one", "two"}});
  table.row({{"long"}, {"x"}});
  EXPECT_EQ(table.text("2 rows"),
            "A     B\n---------\né     one\n      two\nlong  x\n---------\n2 rows");
}

TEST(JsonObject, ThatIsNestedForItsOwnSakeIsPrintedAsItIs) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(indented(deep), deep);
}

TEST(Table, CellsSteerNoTerminal) {
  Table table({"Host", "Paths"});
  table.row({{"h\x1b[31mred\x1b]52;c;ZXZpbA==\x07"}, {"/a\n/b", "/c"}});

  EXPECT_EQ(table.text("1 rows"),
            "Host                                Paths\n"
            "--------------------------------------------\n"
            "h\\x1b[31mred\\x1b]52;c;ZXZpbA==\\x07  /a\\x0a/b\n"
            "                                    /c\n"
            "--------------------------------------------\n1 rows");
}

}  // namespace
}  // namespace holdfast::cli
