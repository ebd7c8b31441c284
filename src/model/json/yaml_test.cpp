#include <holdfast/model/json.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace holdfast::model {
namespace {

std::string read(std::string_view text) {
  auto result = parse_yaml(text);
  EXPECT_TRUE(result) << text << (result ? "" : result.error().what());
  return result ? to_json(result->value) : "";
}

std::string error_of(std::string_view text) {
  const auto result = parse_yaml(text);
  EXPECT_FALSE(result) << text;
  return result ? "" : result.error().what();
}

TEST(Yaml, TypesPlainScalarsAsKubernetesDoes) {
  EXPECT_EQ(read("[yes, No, on, OFF, y, true]"), "[true,false,true,false,true,true]");
  EXPECT_EQ(read("[~, null, '', Null]"), R"([null,null,"",null])");
  EXPECT_EQ(read("[0x10, 017, 0o17, 0b101, 1_000, -5, +5, 08]"), "[16,15,15,5,1000,-5,5,8]");
  EXPECT_EQ(read("[1.5, .5, 1e3, 1.]"), "[1.5,0.5,1000,1]");
  EXPECT_EQ(read("['1', \"yes\", 2026-01-02, 1.2.3, 0x, v1]"),
            R"(["1","yes","2026-01-02","1.2.3","0x","v1"])");
  EXPECT_EQ(read("a: |\n  5\n"), R"({"a":"5\n"})");
  EXPECT_EQ(read("!!str 5"), R"("5")");
  EXPECT_EQ(read("1: a\ntrue: b\n"), R"({"1":"a","true":"b"})");
  EXPECT_EQ(read("a:\nb: {}\n"), R"({"a":null,"b":{}})");
}

TEST(Yaml, ReadsTheFirstDocumentAndJson) {
  EXPECT_EQ(read("---\na: 1\n---\nb: 2\n"), R"({"a":1})");
  EXPECT_EQ(read(""), "null");
  EXPECT_EQ(read(R"({"a":"\ud83d\ude00\/"})"), "{\"a\":\"😀/\"}");
  EXPECT_EQ(read("{a: b}"), R"({"a":"b"})");
}

TEST(Yaml, ResolvesAliasesAndMergeKeys) {
  EXPECT_EQ(read("a: &x [1]\nb: *x\n"), R"({"a":[1],"b":[1]})");
  EXPECT_EQ(read("d: &d {a: 1, b: 2}\ne:\n  <<: *d\n  b: 3\n"),
            R"({"d":{"a":1,"b":2},"e":{"b":3,"a":1}})");
  EXPECT_EQ(read("'<<': 1"), R"({"\u003c\u003c":1})");
}

TEST(Yaml, ReportsDuplicatesWithTheirPath) {
  const auto result = parse_yaml("a: 1\nspec:\n  c:\n  - m: 1\n  - m: 1\n    m: 2\na: 3\n");

  ASSERT_TRUE(result);
  EXPECT_EQ(result->duplicates, (std::vector<std::string>{"spec.c[1].m", "a"}));
  EXPECT_EQ(to_json(result->value), R"({"a":3,"spec":{"c":[{"m":1},{"m":2}]}})");
}

TEST(Yaml, BoundsAliasesAndDepth) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ",*a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }

  EXPECT_NE(error_of(bomb).find("excessive aliasing"), std::string::npos);
  EXPECT_FALSE(parse_yaml(std::string(100000, '[')));
  EXPECT_FALSE(parse_yaml("- " + std::string(100000, '-')) && parse_yaml(std::string(5000, '{')));
}

TEST(Yaml, RefusesWhatJsonCannotSay) {
  EXPECT_FALSE(parse_yaml("a: .inf"));
  EXPECT_FALSE(parse_yaml("~: 1"));
  EXPECT_FALSE(parse_yaml("a: !!int x"));
  EXPECT_FALSE(parse_yaml("[a]: 1"));
  EXPECT_FALSE(parse_yaml("a: &x [*x]"));
  EXPECT_FALSE(parse_yaml("a: 'x"));
  EXPECT_FALSE(parse_yaml("a: \xff"));
  EXPECT_EQ(error_of("a: 1\nb: [").substr(0, 11), "yaml: line ");
}

}  // namespace
}  // namespace holdfast::model
