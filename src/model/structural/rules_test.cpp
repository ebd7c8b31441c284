/// Schemas of CRDs that are refused; sentences of kube-apiserver 1.34.4.
#include <holdfast/model/structural.h>

namespace holdfast::model {
namespace {

using Lines = std::vector<std::string>;

Lines complaints(std::string_view schema) {
  auto parsed = parse_json(schema);
  EXPECT_TRUE(parsed) << schema;
  FieldErrors errors;
  build_structural(parsed->value, "s", errors);
  Lines out;
  for (const FieldError& error : errors) out.push_back(error.text());
  return out;
}

TEST(StructuralRules, AsksForTypesEverywhere) {
  EXPECT_EQ(complaints("{}"), Lines{"s.type: Required value: must not be empty at the root"});
  EXPECT_EQ(complaints(R"({"type":"array"})"),
            (Lines{"s.items: Required value: must be specified",
                   R"(s.type: Invalid value: "array": must be object at the root)"}));
  EXPECT_EQ(
      complaints(
          R"({"type":"object","properties":{"a":{},"c":{"type":"array","items":{}},"d":{"type":"foo"}}})"),
      (Lines{
          "s.properties[a].type: Required value: must not be empty for specified object fields",
          "s.properties[c].items.type: Required value: must not be empty for specified array items",
          R"(s.properties[d].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string")"}));
}

TEST(StructuralRules, KeepsTheRootAResource) {
  EXPECT_EQ(complaints(R"({"type":"object","nullable":true})"),
            Lines{"s.nullable: Forbidden: nullable cannot be true at the root"});
  EXPECT_EQ(complaints(R"({"type":"object","additionalProperties":true})"),
            Lines{"s.additionalProperties: Forbidden: must not be used at the root"});
  EXPECT_EQ(
      complaints(
          R"({"type":"object","properties":{"metadata":{"type":"object","description":"x"},"kind":{"type":"integer"}}})"),
      (Lines{R"(s.properties[kind].type: Invalid value: "integer": must be string)",
             "s.properties[metadata]: Forbidden: must not specify anything other than name and "
             "generateName, but metadata is implicitly specified"}));
}

TEST(StructuralRules, AllowsOnlyValueChecksInJunctors) {
  EXPECT_EQ(
      complaints(
          R"({"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}},
        "anyOf":[{"type":"object","properties":{"y":{"default":"q","nullable":true}}},{"additionalProperties":true}]}}})"),
      (Lines{"s.properties[a].anyOf[0].properties[y].default: Forbidden: must be undefined to be "
             "structural",
             "s.properties[a].anyOf[0].properties[y].nullable: Forbidden: must be false to be "
             "structural",
             "s.properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
             "s.properties[a].anyOf[1].additionalProperties: Forbidden: must be undefined to be "
             "structural"}));
  EXPECT_EQ(
      complaints(
          R"({"type":"object","anyOf":[{"properties":{"y":{"minLength":1}}}],"not":{"items":{"minLength":2}}})"),
      (Lines{
          "s.items: Required value: because it is defined in s.not.items",
          "s.properties[y]: Required value: because it is defined in s.anyOf[0].properties[y]"}));
}

TEST(StructuralRules, ExplainsBadPatternsAsGoDoes) {
  const std::string start = "s.properties[a].pattern: Invalid value: ";
  const std::string middle =
      ": must be a valid regular expression, but isn't: error parsing regexp: ";
  auto pattern = [](const std::string& text) {
    return complaints(R"({"type":"object","properties":{"a":{"type":"string","pattern":")" + text +
                      "\"}}}");
  };

  EXPECT_EQ(pattern("(abc"), Lines{start + "\"(abc\"" + middle + "missing closing ): `(abc`"});
  EXPECT_EQ(pattern("a**"),
            Lines{start + "\"a**\"" + middle + "invalid nested repetition operator: `**`"});
  EXPECT_EQ(pattern("(?=x)"),
            Lines{start + "\"(?=x)\"" + middle + "invalid or unsupported Perl syntax: `(?=`"});
}

TEST(StructuralRules, SaysOnlyWhatIsUnsupportedWhenSomethingIs) {
  EXPECT_EQ(complaints(R"({"type":"object","properties":{"a":{},"r":{"$ref":"#/x","type":"object"},
      "d":{"type":"object","x-kubernetes-preserve-unknown-fields":false}}})"),
            (Lines{"s.properties[d].x-kubernetes-preserve-unknown-fields: Invalid value: false: "
                   "must be true or undefined",
                   "s.properties[r].$ref: Forbidden: $ref is not supported"}));
}

TEST(StructuralRules, ChecksListTypes) {
  EXPECT_EQ(
      complaints(R"({"type":"object","properties":{
      "l2":{"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"set"},
      "l5":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"map"},
      "l6":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object"}}},
        "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","a","b","c"]}}})"),
      (Lines{
          "s.properties[l2].items.x-kubernetes-map-type: Invalid value: null: must be atomic as "
          "item of a list with x-kubernetes-list-type=set",
          "s.properties[l5].x-kubernetes-list-map-keys: Required value: must not be empty if "
          "x-kubernetes-list-type is map",
          R"(s.properties[l5].items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map)",
          R"(s.properties[l6].x-kubernetes-list-map-keys: Invalid value: ["a","a","b","c"]: must not contain duplicate entries)",
          R"(s.properties[l6].items.properties[b].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map)",
          R"(s.properties[l6].x-kubernetes-list-map-keys: Invalid value: ["a","a","b","c"]: entries must all be names of item properties)",
          "s.properties[l6].items.properties[a].default: Required value: this property is in "
          "x-kubernetes-list-map-keys, so it must have a default or be a required property",
          "s.properties[l6].items.properties[a].default: Required value: this property is in "
          "x-kubernetes-list-map-keys, so it must have a default or be a required property",
          "s.properties[l6].items.properties[b].default: Required value: this property is in "
          "x-kubernetes-list-map-keys, so it must have a default or be a required property"}));
}

TEST(StructuralRules, ChecksDefaultsAgainstTheirSchema) {
  EXPECT_EQ(
      complaints(R"({"type":"object","properties":{"a":{"type":"string","default":5},
      "b":{"type":"object","default":{"zz":1},"properties":{"x":{"type":"string"}}},
      "d":{"type":"object","required":["x"],"default":{},"properties":{"x":{"type":"string"}}},
      "e":{"type":"array","items":{"type":"string"},"default":["a",5]},
      "metadata":{"type":"object","properties":{"name":{"type":"string","default":"x"}}},
      "o":{"type":"object","default":{},"properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]}]}}})"),
      (Lines{
          R"(s.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer")",
          R"(s.properties[b].default: Invalid value: {"zz":1}: must not have unknown fields)",
          "s.properties[d].default.x: Required value",
          R"(s.properties[e].default.[1]: Invalid value: "integer": [1] in body must be of type string: "integer")",
          R"(s.properties[o].default: Invalid value: "": "" must validate at least one schema (anyOf))",
          "s.properties[o].default.a: Required value",
          "s.properties[metadata].properties[name].default: Forbidden: must not be set in "
          "top-level metadata"}));
}

TEST(StructuralRules, ListsOtherCelRulesAsNotEnforced) {
  auto parsed = parse_json(
      R"({"type":"object","properties":{"a":{"type":"string","x-kubernetes-validations":[{"rule":"self != ''"}]}}})");
  FieldErrors errors;

  const StructuralSchema built = build_structural(parsed->value, "s", errors);

  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(built.unenforced, Lines{"s.properties[a].x-kubernetes-validations"});
}

}  // namespace
}  // namespace holdfast::model
