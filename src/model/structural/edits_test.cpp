/// Rules of CRDs that forbid edits, as kube-apiserver 1.34 asks them.
#include <holdfast/model/structural.h>

#include "structural/edit_rules.h"

namespace holdfast::model {
namespace {

using Lines = std::vector<std::string>;

Value json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? parsed->value : Value();
}

/// A schema with these members of the spec, and these rules at it.
StructuralSchema built(const std::string& members, const std::string& rules = "[]") {
  FieldErrors errors;
  StructuralSchema out = build_structural(
      json(R"({"type":"object","properties":{"spec":{"type":"object","properties":)" + members +
           R"(,"x-kubernetes-validations":)" + rules + "}}}"),
      "s", errors);
  for (const FieldError& error : errors) ADD_FAILURE() << error.text();
  return out;
}

Lines edited(const StructuralSchema& schema, const std::string& was, const std::string& is) {
  const Value old = json(R"({"spec":)" + was + "}");
  FieldErrors errors;
  check_rules(json(R"({"spec":)" + is + "}"), &old, schema.root, errors);
  Lines out;
  for (const FieldError& error : errors) out.push_back(error.text());
  return out;
}

std::string at_parent(std::string_view name) { return to_json(structural::rule_at_parent(name)); }

constexpr const char* kSame = R"("x-kubernetes-validations":[{"rule":"self == oldSelf"}])";

TEST(Edits, ARuleAtAFieldIsAskedWhereThereWasAValue) {
  const StructuralSchema schema = built(
      R"({"a":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf","message":" a stays "}]},)"
      R"("n":{"type":"integer",)" +
      std::string(kSame) + "}}");

  EXPECT_TRUE(schema.unenforced.empty());
  EXPECT_EQ(edited(schema, R"({"a":"x"})", R"({"a":"y"})"),
            Lines{R"(spec.a: Invalid value: "string": a stays)"});
  EXPECT_EQ(edited(schema, R"({"n":1})", R"({"n":2})"),
            Lines{R"(spec.n: Invalid value: "integer": failed rule: self == oldSelf)"});
  EXPECT_EQ(edited(schema, R"({"a":"x","n":1})", R"({"a":"x","n":1.0})"), Lines{});
  EXPECT_EQ(edited(schema, R"({"a":"x"})", "{}"), Lines{});
  EXPECT_EQ(edited(schema, "{}", R"({"a":"x"})"), Lines{});
}

TEST(Edits, ARuleAtTheParentIsAskedWhenTheFieldComesOrGoes) {
  const StructuralSchema schema = built(
      R"({"a":{"type":"string","nullable":true},"namespace":{"type":"string"},"b":{"type":"string"}})",
      "[" + at_parent("a") + "," + at_parent("namespace") + "]");
  const Lines a{R"(spec.a: Invalid value: "object": a cannot be changed: create a new object)"};

  EXPECT_TRUE(schema.unenforced.empty());
  EXPECT_EQ(edited(schema, R"({"a":"x"})", R"({"a":"y"})"), a);
  EXPECT_EQ(edited(schema, R"({"a":"x"})", "{}"), a);
  EXPECT_EQ(edited(schema, "{}", R"({"a":"x"})"), a);
  EXPECT_EQ(edited(schema, R"({"a":null})", R"({"b":"z"})"), Lines{}) << "null is absent";
  EXPECT_EQ(edited(schema, R"({"a":"x","namespace":"p"})", R"({"a":"x","namespace":"q"})"),
            Lines{"spec.namespace: Invalid value: \"object\": namespace cannot be changed: create "
                  "a new object"});
}

TEST(Edits, WithoutAFieldPathTheParentIsNamed) {
  Value rule = structural::rule_at_parent("a");
  erase(rule, {"fieldPath"});
  const StructuralSchema schema = built(R"({"a":{"type":"string"}})", "[" + to_json(rule) + "]");

  EXPECT_EQ(edited(schema, R"({"a":"x"})", "{}"),
            Lines{R"(spec: Invalid value: "object": a cannot be changed: create a new object)"});
}

TEST(Edits, NamesThatCelKnowsOtherwiseAreEscaped) {
  EXPECT_EQ(string_at(structural::rule_at_parent("in"), {"rule"}),
            "has(self.__in__) == has(oldSelf.__in__) && (!has(self.__in__) || self.__in__ == "
            "oldSelf.__in__)");
  EXPECT_TRUE(string_at(structural::rule_at_parent("a-b.c/d__e"), {"rule"})
                  .starts_with("has(self.a__dash__b__dot__c__slash__d__underscores__e) == "));
}

TEST(Edits, OrderAndSpellingAreNoEdits) {
  const StructuralSchema schema = built(
      R"({"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"},)" +
      std::string(kSame) + R"(},"list":{"type":"array","items":{"type":"string"},)" + kSame +
      R"(},"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],)" +
      R"("items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"string"}}},)" +
      kSame + R"(},"at":{"type":"string","format":"date-time",)" + kSame +
      R"(},"for":{"type":"string","format":"duration",)" + kSame + "}}");

  EXPECT_EQ(edited(schema, R"({"set":["a","b"],"map":[{"k":"a"},{"k":"b","v":"1"}]})",
                   R"({"set":["b","a"],"map":[{"k":"b","v":"1"},{"k":"a"}]})"),
            Lines{});
  EXPECT_EQ(edited(schema, R"({"at":"2026-01-02T03:04:05Z","for":"60m"})",
                   R"({"at":"2026-01-02T04:04:05+01:00","for":"1h"})"),
            Lines{});
  EXPECT_EQ(edited(schema, R"({"list":["a","b"]})", R"({"list":["b","a"]})").size(), 1U);
  EXPECT_EQ(edited(schema, R"({"set":["a","b"]})", R"({"set":["a","c"]})").size(), 1U);
  EXPECT_EQ(
      edited(schema, R"({"map":[{"k":"a","v":"1"}]})", R"({"map":[{"k":"a","v":"2"}]})").size(),
      1U);
  EXPECT_EQ(edited(schema, R"({"at":"2026-01-02T03:04:05Z","for":"60m"})",
                   R"({"at":"2026-01-02T03:04:06Z","for":"2h"})")
                .size(),
            2U);
}

TEST(Edits, ElementsAreToldApartByTheirKeys) {
  const StructuralSchema schema = built(
      R"({"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],)"
      R"("items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"string",)" +
      std::string(kSame) +
      R"(}}}},"by":{"type":"object","additionalProperties":{"type":"string",)" + kSame + "}}}");

  EXPECT_TRUE(schema.unenforced.empty());
  EXPECT_EQ(edited(schema, R"({"map":[{"k":"a","v":"1"},{"k":"b","v":"2"}]})",
                   R"({"map":[{"k":"c","v":"9"},{"k":"b","v":"3"}]})"),
            Lines{R"(spec.map[1].v: Invalid value: "string": failed rule: self == oldSelf)"});
  EXPECT_EQ(edited(schema, R"({"by":{"x":"1"}})", R"({"by":{"x":"2","y":"1"}})"),
            Lines{R"(spec.by[x]: Invalid value: "string": failed rule: self == oldSelf)"});
}

TEST(Edits, WhatIsNotUnderstoodIsNotEnforced) {
  const auto unenforced = [](const std::string& rule) {
    return built(R"({"a":{"type":"string"}})", "[" + at_parent("a") + "," + rule + "]").unenforced;
  };
  const Lines spec{"s.properties[spec].x-kubernetes-validations"};

  EXPECT_EQ(unenforced(R"({"rule":"self == oldSelf"})"), Lines{});
  EXPECT_EQ(unenforced(R"~({"rule":"has(self.a)"})~"), spec);
  EXPECT_EQ(unenforced(at_parent("b")), spec) << "no such field";
  EXPECT_EQ(unenforced(R"({"rule":"self == oldSelf","reason":"FieldValueForbidden"})"), spec);
  EXPECT_EQ(unenforced(R"({"rule":"self == oldSelf","messageExpression":"'x'"})"), spec);
  EXPECT_EQ(unenforced(R"({"rule":"self == oldSelf","optionalOldSelf":true})"), spec);
  EXPECT_EQ(unenforced(R"({"rule":"self == oldSelf","fieldPath":".a"})"), spec);
}

TEST(Edits, WhereNothingTellsWhatWasBeforeARuleIsNotEnforced) {
  const std::string member =
      R"({"type":"object","properties":{"v":{"type":"string",)" + std::string(kSame) + "}}";
  EXPECT_EQ(built(R"({"l":{"type":"array","items":)" + member + "}}}").unenforced,
            Lines{"s.properties[spec].properties[l].items.properties[v].x-kubernetes-validations"});
  EXPECT_EQ(built(R"({"o":)" + member + R"(,"x-kubernetes-map-type":"atomic"}})").unenforced,
            Lines{"s.properties[spec].properties[o].properties[v].x-kubernetes-validations"});
}

TEST(Edits, NoRuleIsAskedOfAnObjectThatIsWrongOtherwise) {
  const StructuralSchema schema = built(R"({"a":{"type":"string",)" + std::string(kSame) + "}}");
  const Value old = json(R"({"spec":{"a":"x"}})"), now = json(R"({"spec":{"a":"y"}})");
  FieldErrors errors{required_field("spec.b", "")};

  check_rules(now, &old, schema.root, errors);

  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[1].text(),
            "<nil>: Invalid value: null: some validation rules were not checked because the object "
            "was invalid; correct the existing errors to complete validation");
  errors = {invalid_field("spec.b", 1, "must be more")};
  check_rules(now, &old, schema.root, errors);
  EXPECT_EQ(errors.size(), 2U) << "an invalid value keeps no rule from being asked";
  errors.clear();
  check_rules(now, nullptr, schema.root, errors);
  EXPECT_TRUE(errors.empty()) << "nothing was before";
}

}  // namespace
}  // namespace holdfast::model
