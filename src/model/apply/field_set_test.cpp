// The algebra of field sets, and their two texts.

#include "apply/field_set.h"

#include "apply/fields_v1.h"

namespace holdfast::model::apply {
namespace {

Value json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? std::move(parsed->value) : Value();
}

// Sets written as FieldsV1; values stay alive as long as the test.
class FieldSet : public testing::Test {
 protected:
  Set set(std::string_view text) {
    auto decoded = decode_fields(arena_, *arena_.keep(json(text)), TypeRef());
    EXPECT_TRUE(decoded) << text;
    return decoded ? decoded->set : Set();
  }
  static std::string text(const Set& set) { return to_json(encode_fields(set)); }
  bool refuses(std::string_view text) {
    return !decode_fields(arena_, *arena_.keep(json(text)), TypeRef());
  }
  Arena arena_;
};

TEST_F(FieldSet, IsWrittenInCanonicalOrder) {
  const Set read = set(
      R"({"i:1":{},"v:\"x\"":{},"k:{\"b\":1,\"a\":\"<\"}":{},"f:b":{"f:c":{},".":{}},"f:a":{},"v:2":{}})");

  EXPECT_EQ(
      text(read),
      R"({"f:a":{},"f:b":{".":{},"f:c":{}},"k:{\"a\":\"\\u003c\",\"b\":1}":{},"v:2":{},"v:\"x\"":{},"i:1":{}})");
}

TEST_F(FieldSet, KeysAreEqualWhateverFormTheirNumbersHave) {
  const Set both =
      unite(arena_, set(R"({"k:{\"p\":80}":{}})"), set(R"({"k:{\"p\":80.0}":{"f:x":{}}})"));

  EXPECT_EQ(both.size(), 1U);
  EXPECT_TRUE(both.begin()->member);
  EXPECT_EQ(both.begin()->children.size(), 1U);
}

TEST_F(FieldSet, UnionHoldsMembersOfBoth) {
  const Set a = set(R"({"f:a":{},"f:c":{"f:x":{}}})");
  const Set b = set(R"({"f:b":{},"f:c":{".":{},"f:y":{}}})");

  EXPECT_EQ(text(unite(arena_, a, b)), R"({"f:a":{},"f:b":{},"f:c":{".":{},"f:x":{},"f:y":{}}})");
  EXPECT_TRUE(unite(arena_, a, Set()).same_as(a));
}

TEST_F(FieldSet, IntersectionHoldsOnlyWhatBothOwnThemselves) {
  const Set a = set(R"({"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{}})");
  const Set b = set(R"({"f:a":{"f:x":{}},"f:b":{"f:z":{}}})");

  EXPECT_EQ(text(intersect(arena_, a, b)), R"({"f:a":{"f:x":{}}})");
}

TEST_F(FieldSet, DifferenceOfAParentLeavesItsChildren) {
  const Set a = set(R"({"f:a":{".":{},"f:x":{}},"f:b":{}})");
  const Set parent = set(R"({"f:a":{}})");

  EXPECT_EQ(text(subtract(arena_, a, parent)), R"({"f:a":{"f:x":{}},"f:b":{}})");
  EXPECT_EQ(text(subtract_trees(arena_, a, parent)), R"({"f:b":{}})");
}

TEST_F(FieldSet, DifferenceWithNothingInCommonIsTheSetItself) {
  const Set a = set(R"({"f:a":{"f:x":{}}})");

  EXPECT_TRUE(subtract(arena_, a, set(R"({"f:a":{"f:z":{}},"f:q":{}})")).same_as(a));
}

TEST_F(FieldSet, HasKnowsMembersFromParents) {
  const Set a = set(R"({"f:a":{"f:x":{}}})");
  const std::vector<Element> path = {Element::field("a"), Element::field("x")};

  EXPECT_TRUE(a.has(path));
  EXPECT_FALSE(a.has(std::span(path).first(1)));
  EXPECT_FALSE(a.has({}));
}

TEST_F(FieldSet, UnknownStepsAreSkippedAndOthersRefused) {
  EXPECT_EQ(text(set(R"({"x:future":{"f:a":{}},"f:a":{}})")), R"({"f:a":{}})");
  EXPECT_TRUE(refuses(R"({"a":{}})"));
  EXPECT_TRUE(refuses(R"({"":{}})"));
  EXPECT_TRUE(refuses(R"({"f:a":5})"));
  EXPECT_TRUE(refuses(R"({"k:[]":{}})"));
  EXPECT_TRUE(refuses(R"({"k:{\"a\"":{}})"));
  EXPECT_TRUE(refuses(R"({"v:":{}})"));
  EXPECT_TRUE(refuses(R"({"i:one":{}})"));
  EXPECT_TRUE(refuses(R"({"i:99999999999999999999":{}})"));
  EXPECT_TRUE(refuses(R"([])"));
}

TEST_F(FieldSet, SurvivesAsDeepNestingAsJsonMayHave) {
  std::string deep;
  for (size_t i = 0; i < kMaxDepth - 1; ++i) deep += R"({"f:a":)";
  deep += "{}" + std::string(kMaxDepth - 1, '}');

  const Set read = set(deep);

  EXPECT_EQ(text(unite(arena_, read, set(R"({"f:b":{}})"))).size(), deep.size() + 9);
}

TEST_F(FieldSet, PathsAreNamedForPeople) {
  const Value name = "we\"b";
  const Value port = 80;
  const KeyField keys[] = {{"name", &name}, {"port", &port}};
  const std::vector<Element> path = {Element::field("spec"), Element::key(keys),
                                     Element::value(&name), Element::index(3)};

  EXPECT_EQ(path_text(path), R"(.spec[name="we\"b",port=80][="we\"b"][3])");
}

}  // namespace
}  // namespace holdfast::model::apply
