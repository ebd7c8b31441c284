#include <holdfast/base/random.h>
#include <holdfast/model/patch.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace holdfast::model {
namespace {

Value json(std::string_view text) {
  auto result = parse_json(text);
  EXPECT_TRUE(result) << text;
  return result ? result.take().value : Value();
}

std::string patched(std::string_view object, std::string_view patch) {
  auto result = apply_json_patch(json(object), json(patch));
  return result ? to_json(*result) : "error: " + result.error().what();
}

Fault fault_of(std::string_view object, std::string_view patch) {
  const auto result = apply_json_patch(json(object), json(patch));
  EXPECT_FALSE(result) << patch;
  return result ? Fault::Internal : result.error().fault();
}

std::string merged(std::string_view object, std::string_view patch) {
  return to_json(apply_merge_patch(json(object), json(patch)));
}

TEST(JsonPatch, DoesWhatEachOperationSays) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]}])"),
            R"({"a":1,"b":[1]})");
  EXPECT_EQ(patched(R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])"),
            R"({"a":[1,2,3]})");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])"), R"({"a":[1,2]})");
  EXPECT_EQ(patched(R"({"a":1,"b":2,"c":3})", R"([{"op":"remove","path":"/a"}])"),
            R"({"b":2,"c":3})");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/0","value":5}])"),
            R"({"a":[5,2]})");
  EXPECT_EQ(patched(R"({"a":{"x":1},"b":{}})", R"([{"op":"move","from":"/a/x","path":"/b/y"}])"),
            R"({"a":{},"b":{"y":1}})");
  EXPECT_EQ(patched(R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"}])"),
            R"({"a":{"x":1},"b":{"x":1}})");
  EXPECT_EQ(patched(R"({"a/b":{"m~n":1}})", R"([{"op":"replace","path":"/a~1b/m~0n","value":2}])"),
            R"({"a/b":{"m~n":2}})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])"), R"({"a":1})");
}

TEST(JsonPatch, DeviatesWhereTheRealServerDoes) {
  EXPECT_EQ(patched("{}", R"([{"op":"replace","path":"/q","value":1}])"), R"({"q":1})");
  EXPECT_EQ(patched("{}", R"([{"op":"test","path":"/q","value":null}])"), "{}");
  EXPECT_EQ(patched("{}", R"([{"op":"copy","from":"/q","path":"/r"}])"), R"({"r":null})");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"data/x","value":1}])"), R"({"x":1})");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])"), R"({"a":[1]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":5}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])"), R"({"b":2})");
}

TEST(JsonPatch, RefusesWhatIsNoPatchInTheServersWords) {
  EXPECT_EQ(patched("{}", "{}"),
            "error: error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp");
  EXPECT_EQ(patched("{}", "[5]"),
            "error: error decoding patch: json: cannot unmarshal number into Go value of type "
            "handlers.jsonPatchOp");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":5}])"),
            "error: error decoding patch: json: cannot unmarshal number into Go struct field "
            "jsonPatchOp.path of type "
            "string");
  EXPECT_EQ(fault_of("{}", "{}"), Fault::Invalid);
}

TEST(JsonPatch, RefusesOperationsThatDoNotApply) {
  for (const char* patch :
       {R"([{"op":"zap","path":"/a"}])", R"([{"op":"remove","path":"/x"}])",
        R"([{"op":"add","path":"","value":{}}])", R"([{"op":"add","path":"/x/y","value":1}])",
        R"([{"op":"add","path":"/a/y","value":1}])", R"([{"op":"test","path":"/a","value":2}])",
        R"([{"op":"add","path":"/l/3","value":1}])", R"([{"op":"add","path":"/l/x","value":1}])",
        R"([{"op":"remove","path":"/l/2"}])", R"([{"op":"remove","path":"/l/-3"}])",
        R"([{"op":"replace","path":"/l/-","value":1}])", R"([{"op":"add"}])",
        R"([{"op":"move","path":"/a"}])", R"([{"op":"move","from":"/o","path":"/o/x"}])", "[null]"})
    EXPECT_EQ(fault_of(R"({"a":1,"l":[1,2],"o":{"x":{}}})", patch), Fault::Conflict) << patch;
}

TEST(JsonPatch, IsAllOrNothing) {
  const Value before = json(R"({"a":1})");

  const auto result = apply_json_patch(
      before, json(R"([{"op":"add","path":"/b","value":1},{"op":"test","path":"/a","value":2}])"));

  EXPECT_FALSE(result);
  EXPECT_EQ(to_json(before), R"({"a":1})");
}

TEST(JsonPatch, CannotBuildAGiant) {
  std::string wide = "[";
  std::string deep = "[";
  for (int i = 0; i < 600; ++i) {
    const std::string comma = i > 0 ? "," : "";
    wide += comma + R"({"op":"copy","from":"/a","path":"/a/-"})";
    deep += comma + R"({"op":"copy","from":"/a","path":"/a/0/x"})";
  }
  EXPECT_EQ(fault_of("{\"a\":[\"" + std::string(10000, 'x') + "\"]}", wide + "]"), Fault::Conflict);
  EXPECT_EQ(fault_of(R"({"a":[{}]})", deep + "]"), Fault::Conflict);
}

TEST(MergePatch, FollowsTheRfc) {
  EXPECT_EQ(merged(R"({"a":"b","c":{"d":1,"e":2}})", R"({"a":null,"c":{"e":null,"f":3}})"),
            R"({"c":{"d":1,"f":3}})");
  EXPECT_EQ(merged(R"({"a":[1]})", R"({"a":[2,null]})"), R"({"a":[2,null]})");
  EXPECT_EQ(merged(R"({"a":1})", R"({"a":{"b":{"c":null}}})"), R"({"a":{"b":{}}})");
  EXPECT_EQ(merged(R"({"a":{"x":1}})", R"({"a":"s"})"), R"({"a":"s"})");
  EXPECT_EQ(merged(R"({"a":1})", R"({"b":null})"), R"({"a":1})");
  EXPECT_EQ(merged(R"({"a":[{"x":1}]})", R"({"a":[{"x":null,"y":1}]})"), R"({"a":[{"y":1}]})");
}

Value random_value(Random& random, int depth) {
  switch (random.below(depth > 0 ? 5 : 3)) {
    case 0:
      return int64_t(random.below(3));
    case 1:
      return random.below(2) == 0;
    case 2:
      return std::string(random.below(2), 'x').c_str();
    case 3: {
      Array array;
      for (uint64_t n = random.below(3); n > 0; --n)
        array.push_back(random_value(random, depth - 1));
      return array;
    }
    default: {
      Object object;
      for (uint64_t n = random.below(4); n > 0; --n)
        object[std::string(1, char('a' + random.below(4)))] = random_value(random, depth - 1);
      return object;
    }
  }
}

TEST(MergePatch, TheMadePatchTurnsOneIntoTheOther) {
  SeededRandom random(17);
  for (int i = 0; i < 3000; ++i) {
    const Value from = random_value(random, 4);
    const Value to = random_value(random, 4);

    const Value patch = make_merge_patch(from, to);

    ASSERT_TRUE(equal(apply_merge_patch(from, patch), to))
        << to_json(from) << " to " << to_json(to);
    ASSERT_TRUE(!from.is_object() || to_json(make_merge_patch(from, from)) == "{}");
  }
}

}  // namespace
}  // namespace holdfast::model
