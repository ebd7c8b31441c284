#include <holdfast/base/bytes.h>
#include <holdfast/base/random.h>
#include <holdfast/model/json.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cmath>
#include <cstring>

namespace holdfast::model {
namespace {

Value parsed(std::string_view text) {
  auto result = parse_json(text);
  EXPECT_TRUE(result) << text;
  return result ? result.take().value : Value();
}

std::string again(std::string_view text) { return to_json(parsed(text)); }

std::string error_of(std::string_view text) {
  const auto result = parse_json(text);
  EXPECT_FALSE(result) << text;
  return result ? "" : result.error().what();
}

TEST(Json, KeepsOrderAndKindsOfValues) {
  const std::string text =
      R"({"z":1,"a":[true,false,null,"x",-5,18446744073709551615,1.5],"m":{"":{}},"e":[]})";

  EXPECT_EQ(again(" \n" + text + "\t"), text);
  EXPECT_TRUE(parsed("9223372036854775807").is_int64());
  EXPECT_TRUE(parsed("9223372036854775808").is_uint64());
  EXPECT_TRUE(parsed("18446744073709551616").is_double());
}

TEST(Json, PrintsNumbersAsGoDoes) {
  EXPECT_EQ(again("1.0"), "1");
  EXPECT_EQ(again("-0"), "0");
  EXPECT_EQ(again("-0.0"), "-0");
  EXPECT_EQ(again("1e3"), "1000");
  EXPECT_EQ(again("1e20"), "100000000000000000000");
  EXPECT_EQ(again("123456789012345678901.0"), "123456789012345680000");
  EXPECT_EQ(again("1e21"), "1e+21");
  EXPECT_EQ(again("0.000001"), "0.000001");
  EXPECT_EQ(again("0.0000001"), "1e-7");
  EXPECT_EQ(again("1.25e-10"), "1.25e-10");
  EXPECT_EQ(again("1e-400"), "0");
  EXPECT_EQ(again("5e-324"), "5e-324");
}

TEST(Json, EscapesStringsAsGoDoes) {
  EXPECT_EQ(again(R"("\u0041\/\b\f\n\r\t\\\"")"), R"("A/\b\f\n\r\t\\\"")");
  EXPECT_EQ(again(R"("<a>&\u2028\u2029\u0001\u007f")"),
            "\"\\u003ca\\u003e\\u0026\\u2028\\u2029\\u0001\x7f\"");
  EXPECT_EQ(again(R"("\ud83d\ude00 é")"), "\"😀 é\"");
}

TEST(Json, ReplacesWhatIsNotUnicodeAsTheRealServerDoes) {
  EXPECT_EQ(again("\"x\xffy\xe2\x82\""), "\"x\ufffdy\ufffd\ufffd\"");
  EXPECT_EQ(again(R"("x\ud800y")"), "\"x\ufffdy\"");
  EXPECT_EQ(again(R"("\ud800\u0041\udc00")"), "\"\ufffdA\ufffd\"");
  EXPECT_EQ(again("\"\xed\xa0\x80\""), "\"\ufffd\ufffd\ufffd\"");
}

TEST(Json, NamesErrorsInGosWords) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {"{\"a\"", "unexpected end of JSON input"},
      {"\"abc", "unexpected end of JSON input"},
      {"[1,", "unexpected end of JSON input"},
      {"{\"a\":}", "invalid character '}' looking for beginning of value"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"{a:1}", "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"},
      {"[1 2]", "invalid character '2' after array element"},
      {"{} x", "invalid character 'x' after top-level value"},
      {"tru", "invalid character ' ' in literal true (expecting 'e')"},
      {"nuxl", "invalid character 'x' in literal null (expecting 'l')"},
      {"-", "invalid character ' ' in numeric literal"},
      {"1.", "invalid character ' ' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"01", "invalid character '1' after top-level value"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"},
      {"\"\n\"", "invalid character '\\n' in string literal"},
      {"'", "invalid character '\\'' looking for beginning of value"},
      {"\xff", "invalid character 'ÿ' looking for beginning of value"},
      {std::string_view("\0", 1), "invalid character '\\x00' looking for beginning of value"},
      {"1e400", "json: cannot unmarshal number 1e400 into Go value of type float64"},
      {"[1e400", "unexpected end of JSON input"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

TEST(Json, RefusesNestingPastTheBound) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };

  EXPECT_TRUE(parse_json(nested(kMaxDepth)));
  EXPECT_EQ(error_of(nested(kMaxDepth + 1)), "invalid character '[' exceeded max depth");
  EXPECT_EQ(error_of(std::string(1000000, '[')), "invalid character '[' exceeded max depth");
}

TEST(Json, ReportsDuplicateKeysWithTheirPathAndKeepsTheLast) {
  const auto result = parse_json(R"({"a":1,"spec":{"c":[{"n":1,"n":2}],"r":1,"r":{"x":1}},"a":3})");

  ASSERT_TRUE(result);
  EXPECT_EQ(result->duplicates, (std::vector<std::string>{"spec.c[0].n", "spec.r", "a"}));
  EXPECT_EQ(to_json(result->value), R"({"a":3,"spec":{"c":[{"n":2}],"r":{"x":1}}})");
}

TEST(Json, KeepsAtMostAHundredDuplicates) {
  std::string text = "{\"a\":1";
  for (int i = 0; i < 500; ++i) text += ",\"a\":1";

  EXPECT_EQ(parse_json(text + "}")->duplicates.size(), 100u);
}

TEST(Json, EveryDoubleSurvivesTheRoundTrip) {
  SeededRandom random(7);
  for (int i = 0; i < 100000; ++i) {
    double value = 0;
    const uint64_t bits = random.next();
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;

    const std::string text = to_json(Value(value));
    const Value back = parsed(text);

    const double read = back.is_double() ? back.get_double() : back.to_number<double>();
    ASSERT_EQ(read, value) << text;
    ASSERT_EQ(to_json(back), text);
  }
}

TEST(Json, AnyBytesAreReadOrRefusedAndWhatIsReadIsUtf8) {
  SeededRandom random(11);
  constexpr std::string_view kAlphabet = "{}[]\",:\\u0dD8c1.e-tfn \xff\xe2\x80\xa8";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (uint64_t n = random.below(24); n > 0; --n)
      text += kAlphabet[random.below(kAlphabet.size())];

    const auto result = parse_json(text);

    if (!result) continue;
    const std::string printed = to_json(result->value);
    ASSERT_TRUE(is_utf8(printed)) << text;
    ASSERT_EQ(again(printed), printed) << text;
  }
}

TEST(JsonAccess, ReadsPathsAndShrugsAtWrongOnes) {
  const Value root = parsed(R"({"a":{"s":"x","i":3.0,"b":true,"l":[1],"h":2.5}})");

  EXPECT_EQ(string_at(root, {"a", "s"}), "x");
  EXPECT_EQ(string_at(root, {"a", "i"}), "");
  EXPECT_EQ(int_at(root, {"a", "i"}, 0), 3);
  EXPECT_EQ(int_at(root, {"a", "h"}, 7), 7);
  EXPECT_TRUE(bool_at(root, {"a", "b"}, false));
  EXPECT_EQ(array_at(root, {"a", "l"}).size(), 1u);
  EXPECT_TRUE(object_at(root, {"a", "l"}).empty());
  EXPECT_EQ(find(root, {"a", "s", "t"}), nullptr);
  EXPECT_EQ(find(root, {}), &root);
}

TEST(JsonAccess, MakesPathsAndErasesKeepingOrder) {
  Value root = parsed(R"({"a":1,"b":2,"c":{"x":1,"y":2,"z":3}})");

  ensure_object(root, {"a", "n"})["k"] = "v";
  erase(root, {"c", "x"});
  erase(root, {"b"});
  erase(root, {"c", "y", "no"});

  EXPECT_EQ(to_json(root), R"({"a":{"n":{"k":"v"}},"c":{"y":2,"z":3}})");
}

TEST(JsonEqual, ComparesValuesNotTheirSpelling) {
  EXPECT_TRUE(equal(parsed(R"({"a":1,"b":[2.0]})"), parsed(R"({"b":[2],"a":1.0})")));
  EXPECT_FALSE(equal(parsed("9007199254740993"), parsed("9007199254740992.0")));
  EXPECT_TRUE(equal(parsed("18446744073709551615"), parsed("18446744073709551615")));
  EXPECT_FALSE(equal(parsed("18446744073709551615"), parsed("-1")));
  EXPECT_FALSE(equal(parsed("1"), parsed("\"1\"")));
  EXPECT_FALSE(equal(parsed(R"({"a":null})"), parsed("{}")));
  EXPECT_FALSE(equal(parsed("[1,2]"), parsed("[2,1]")));
}

}  // namespace
}  // namespace holdfast::model
