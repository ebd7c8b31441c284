/// The sentences here were read off kube-apiserver 1.34.4 with the same schema and the same
/// objects.
#include <holdfast/model/structural.h>

#include <algorithm>

namespace holdfast::model {
namespace {

Value json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? parsed->value : Value();
}

Value yaml_free(std::string_view spec_properties) {
  return json(
      R"({"type":"object","required":["spec"],"properties":{)"
      R"("metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":10}}},)"
      R"("spec":{"type":"object","required":["must"],"properties":{"must":{"type":"string"},)" +
      std::string(spec_properties) + "}}}}");
}

constexpr std::string_view kProbe = R"(
  "i":{"type":"integer","minimum":2,"maximum":10,"multipleOf":2},
  "num":{"type":"number","maximum":10.5,"exclusiveMaximum":true},
  "s":{"type":"string","minLength":2,"maxLength":4,"pattern":"^a+$"},
  "e":{"type":"string","enum":["a","b"]},
  "ei":{"type":"integer","enum":[1,2]},
  "b":{"type":"boolean"},
  "dt":{"type":"string","format":"date-time"},
  "ip":{"type":"string","format":"ipv4"},
  "uuid":{"type":"string","format":"uuid"},
  "by":{"type":"string","format":"byte"},
  "i32":{"type":"integer","format":"int32"},
  "list":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string"}},
  "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
  "map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
    "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"string"}}}},
  "map2":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["p","k"],
    "items":{"type":"object","required":["k","p"],"properties":{"k":{"type":"string"},"p":{"type":"integer"}}}},
  "m":{"type":"object","minProperties":1,"maxProperties":2,"additionalProperties":{"type":"integer"}},
  "none":{"type":"object","additionalProperties":false},
  "all":{"type":"object","additionalProperties":true},
  "emb":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
  "ios":{"x-kubernetes-int-or-string":true},
  "ios2":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
  "any":{"x-kubernetes-preserve-unknown-fields":true},
  "nul":{"type":"string","nullable":true},
  "one":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
    "oneOf":[{"required":["a"]},{"required":["b"]}]},
  "anyo":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
    "anyOf":[{"required":["a"]},{"required":["b"]}]},
  "allo":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
    "allOf":[{"required":["a"]},{"properties":{"b":{"minLength":2}}}]},
  "not":{"type":"object","properties":{"a":{"type":"string"}},"not":{"required":["a"]}},
  "ts":{"type":"string","description":"desc","default":"x"},
  "dn":{"type":"object","default":{},"properties":{"x":{"type":"integer","default":5},
    "y":{"type":"string","nullable":true,"default":"q"}}},
  "dl":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string","default":"z"}}}})";

const StructuralSchema& probe() {
  static const StructuralSchema built = [] {
    FieldErrors errors;
    StructuralSchema out = build_structural(yaml_free(kProbe), "schema", errors);
    for (const FieldError& error : errors) ADD_FAILURE() << error.text();
    return out;
  }();
  return built;
}

Value probe_object(std::string_view spec) {
  return json(R"({"apiVersion":"g/v1","kind":"Probe","metadata":{"name":"p"},"spec":)" +
              std::string(spec) + "}");
}

std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const FieldError& error : errors) out.push_back(error.text());
  return out;
}

/// The whole way of an object on create: prune, default, validate.
std::vector<std::string> complaints(std::string_view spec) {
  Value object = probe_object(spec);
  prune(object, probe().root);
  set_defaults(object, probe().root);
  return texts(validate(object, probe().root));
}

using Lines = std::vector<std::string>;

TEST(StructuralValidate, NamesMissingMembers) {
  EXPECT_EQ(complaints("{}"), Lines{"spec.must: Required value"});
  EXPECT_EQ(complaints(R"({"must":null})"), Lines{"spec.must: Required value"});
  Value no_spec = json(R"({"apiVersion":"g/v1","kind":"Probe","metadata":{"name":"p"}})");
  EXPECT_EQ(texts(validate(no_spec, probe().root)), Lines{"spec: Required value"});
}

TEST(StructuralValidate, NamesWrongTypes) {
  EXPECT_EQ(
      complaints(R"({"must":5,"i":"x","b":1,"list":["a",null]})"),
      (Lines{
          R"(spec.must: Invalid value: "integer": spec.must in body must be of type string: "integer")",
          R"(spec.i: Invalid value: "string": spec.i in body must be of type integer: "string")",
          R"(spec.b: Invalid value: "integer": spec.b in body must be of type boolean: "integer")",
          R"(spec.list[1]: Invalid value: "null": spec.list[1] in body must be of type string: "null")"}));
  EXPECT_EQ(
      complaints(R"("x")"),
      Lines{R"(spec: Invalid value: "string": spec in body must be of type object: "string")"});
}

TEST(StructuralValidate, ComparesNumbersWithTheirLimits) {
  EXPECT_EQ(
      complaints(R"({"must":"a","i":11})"),
      (Lines{"spec.i: Invalid value: 11: spec.i in body should be a multiple of 2",
             "spec.i: Invalid value: 11: spec.i in body should be less than or equal to 10"}));
  EXPECT_EQ(complaints(R"({"must":"a","i":0})"),
            Lines{"spec.i: Invalid value: 0: spec.i in body should be greater than or equal to 2"});
  EXPECT_EQ(
      complaints(R"({"must":"a","i":2.5})"),
      (Lines{R"(spec.i: Invalid value: "number": spec.i in body must be of type integer: "number")",
             "spec.i: Invalid value: 2.5: spec.i in body should be a multiple of 2"}));
  EXPECT_EQ(complaints(R"({"must":"a","i":4.0,"num":10.25})"), Lines{});
  EXPECT_EQ(complaints(R"({"must":"a","num":10})"),
            Lines{"spec.num: Invalid value: 10: spec.num in body should be less than 10"})
      << "integers are compared with the bound cut to an integer, on the real server too";
  EXPECT_EQ(complaints(R"({"must":"a","num":10.5})"),
            Lines{"spec.num: Invalid value: 10.5: spec.num in body should be less than 10.5"});
  EXPECT_EQ(
      complaints(R"({"must":"a","i":99999999999999999999})"),
      (Lines{R"(spec.i: Invalid value: "number": spec.i in body must be of type integer: "number")",
             "spec.i: Invalid value: 1e+20: spec.i in body should be a multiple of 2",
             "spec.i: Invalid value: 1e+20: spec.i in body should be less than or equal to 10"}));
}

TEST(StructuralValidate, ChecksLengthThenPattern) {
  EXPECT_EQ(complaints(R"({"must":"a","s":"aaaaa"})"),
            Lines{"spec.s: Too long: may not be more than 4 bytes"});
  EXPECT_EQ(complaints(R"({"must":"a","s":"a"})"),
            Lines{R"(spec.s: Invalid value: "a": spec.s in body should be at least 2 chars long)"});
  EXPECT_EQ(complaints(R"({"must":"a","s":"bb"})"),
            Lines{R"(spec.s: Invalid value: "bb": spec.s in body should match '^a+$')"});
}

TEST(StructuralValidate, ListsTheValuesOfAnEnum) {
  EXPECT_EQ(complaints(R"({"must":"a","e":"c","ei":3})"),
            (Lines{R"(spec.e: Unsupported value: "c": supported values: "a", "b")",
                   R"(spec.ei: Unsupported value: 3: supported values: "1", "2")"}));
}

TEST(StructuralValidate, EnforcesStringFormatsOnly) {
  EXPECT_EQ(complaints(R"({"must":"a","dt":"x","ip":"x","uuid":"x","by":"","i32":5000000000})"),
            (Lines{R"(spec.dt: Invalid value: "x": spec.dt in body must be of type date-time: "x")",
                   R"(spec.ip: Invalid value: "x": spec.ip in body must be of type ipv4: "x")",
                   R"(spec.uuid: Invalid value: "x": spec.uuid in body must be of type uuid: "x")",
                   R"(spec.by: Invalid value: "": spec.by in body must be of type byte: "")"}));
  EXPECT_EQ(complaints(R"({"must":"a","dt":["x"]})"), Lines{})
      << "a list passes on the real server too";
}

TEST(StructuralValidate, CountsElements) {
  EXPECT_EQ(complaints(R"({"must":"a","list":[]})"),
            Lines{"spec.list: Invalid value: 0: spec.list in body should have at least 1 items"});
  EXPECT_EQ(complaints(R"({"must":"a","list":["a","b","c"]})"),
            Lines{"spec.list: Too many: 3: must have at most 2 items"});
  EXPECT_EQ(complaints(R"({"must":"a","m":{}})"),
            Lines{"spec.m: Invalid value: 0: spec.m in body should have at least 1 properties"});
  EXPECT_EQ(
      complaints(R"({"must":"a","m":{"a":1,"b":"x","c":3}})"),
      (Lines{
          "spec.m: Too many: 3: must have at most 2 items",
          R"(spec.m.b: Invalid value: "string": spec.m.b in body must be of type integer: "string")"}));
  EXPECT_EQ(complaints(R"({"must":"a","none":{"a":1}})"),
            Lines{R"(spec.none: Invalid value: "a": spec.none.a in body is a forbidden property)"});
}

TEST(StructuralValidate, RefusesRepeatedElementsOfSetsAndMaps) {
  EXPECT_EQ(
      complaints(R"({"must":"a","set":["a","b","a","a","b"]})"),
      (Lines{R"(spec.set[2]: Duplicate value: "a")", R"(spec.set[4]: Duplicate value: "b")"}));
  EXPECT_EQ(
      complaints(
          R"({"must":"a","map":[{"k":"a"},{"k":"a"}],"map2":[{"k":"a","p":1},{"p":1,"k":"a"}]})"),
      (Lines{R"(spec.map[1]: Duplicate value: {"k":"a"})",
             R"(spec.map2[1]: Duplicate value: {"k":"a","p":1})"}));
}

TEST(StructuralValidate, TellsWhichJunctorFailed) {
  EXPECT_EQ(
      complaints(R"({"must":"a","one":{}})"),
      (Lines{
          R"(<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid)",
          "spec.one.a: Required value"}));
  EXPECT_EQ(
      complaints(R"({"must":"a","one":{"a":"x","b":"y"}})"),
      Lines{
          R"(<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives)"});
  EXPECT_EQ(
      complaints(R"({"must":"a","anyo":{}})"),
      (Lines{R"(<nil>: Invalid value: "": "spec.anyo" must validate at least one schema (anyOf))",
             "spec.anyo.a: Required value"}));
  EXPECT_EQ(
      complaints(R"({"must":"a","allo":{"b":"x"}})"),
      (Lines{
          "spec.allo.a: Required value",
          R"(spec.allo.b: Invalid value: "x": spec.allo.b in body should be at least 2 chars long)",
          R"(<nil>: Invalid value: "": "spec.allo" must validate all the schemas (allOf). None validated)"}));
  EXPECT_EQ(complaints(R"({"must":"a","not":{"a":"x"}})"),
            Lines{R"(<nil>: Invalid value: "": "spec.not" must not validate the schema (not))"});
}

TEST(StructuralValidate, TakesIntegersAndStringsForIntOrString) {
  EXPECT_EQ(complaints(R"({"must":"a","ios":"x","ios2":5})"), Lines{});
  EXPECT_EQ(
      complaints(R"({"must":"a","ios":true,"ios2":true})"),
      (Lines{
          R"(spec.ios: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean")",
          R"(spec.ios2: Invalid value: "boolean": spec.ios2 in body must be of type integer,string: "boolean")",
          R"(<nil>: Invalid value: "": "spec.ios2" must validate at least one schema (anyOf))",
          R"(spec.ios2: Invalid value: "boolean": spec.ios2 in body must be of type integer: "boolean")"}));
}

TEST(StructuralValidate, ChecksEmbeddedResources) {
  EXPECT_EQ(complaints(R"({"must":"a","emb":{"a":1}})"),
            (Lines{"spec.emb.apiVersion: Required value", "spec.emb.kind: Required value"}));
  const Lines found = complaints(
      R"({"must":"a","emb":{"apiVersion":"a/b/c","kind":"A B","metadata":{"name":"x/y","labels":{"a b":"c"}}}})");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(
      found[0],
      R"(spec.emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)");
  EXPECT_TRUE(found[1].starts_with(
      R"(spec.emb.kind: Invalid value: "A B": may have mixed case, but should otherwise match: a DNS-1035 label)"));
  EXPECT_EQ(found[2], R"(spec.emb.metadata.name: Invalid value: "x/y": may not contain '/')");
  EXPECT_TRUE(found[3].starts_with(
      R"(spec.emb.metadata.labels: Invalid value: "a b": name part must consist)"));
}

TEST(StructuralValidate, FindsEmbeddedMetadataThatDoesNotDecode) {
  const Value object =
      probe_object(R"({"emb":{"apiVersion":"v1","kind":"Pod","metadata":{"name":5}}})");

  auto error = find_malformed_embedded(object, probe().root);

  ASSERT_TRUE(error);
  EXPECT_EQ(
      error->text(),
      R"(spec.emb.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string)");
}

TEST(StructuralValidate, RestrictsTheNameOfTheObject) {
  Value object = json(
      R"({"metadata":{"name":"ppppppppppppppppp","creationTimestamp":null},"spec":{"must":"a"}})");

  EXPECT_EQ(texts(validate(object, probe().root)),
            Lines{"metadata.name: Too long: may not be more than 10 bytes"});
}

TEST(StructuralValidate, LetsUnchangedValuesPassOnUpdate) {
  const Value old =
      probe_object(R"({"must":"a","i":11,"s":"x","map":[{"k":"a","v":5},{"k":"b"}]})");
  const Value same =
      probe_object(R"({"must":"b","i":11,"s":"y","map":[{"k":"b"},{"k":"a","v":5}]})");

  EXPECT_EQ(texts(validate_update(same, old, probe().root)),
            Lines{R"(spec.s: Invalid value: "y": spec.s in body should be at least 2 chars long)"});
}

TEST(StructuralPrune, RemovesAndNamesWhatIsUnknown) {
  Value object = json(
      R"({"apiVersion":"g/v1","kind":"Probe","metadata":{"name":"p","bad":1},"spec":{"must":"a","bogus":1,
          "all":{"a":{"b":1},"c":1},"emb":{"apiVersion":"v1","kind":"Pod","x":{"y":1},
          "metadata":{"bogus":1,"labels":{"a":"b"},"creationTimestamp":null}},"map":[{"k":"a","zz":1}],"any":{"q":null}},"top":1})");

  const std::vector<std::string> unknown = prune(object, probe().root);

  EXPECT_EQ(unknown, (Lines{"spec.all.a.b", "spec.bogus", "spec.map[0].zz", "top",
                            "spec.emb.metadata.bogus", "metadata.bad"}));
  EXPECT_EQ(
      to_json(object),
      R"({"apiVersion":"g/v1","kind":"Probe","metadata":{"name":"p"},"spec":{"must":"a","all":{"a":{},"c":1},"emb":{"apiVersion":"v1","kind":"Pod","x":{"y":1},"metadata":{"labels":{"a":"b"}}},"map":[{"k":"a"}],"any":{"q":null}}})");
}

TEST(StructuralDefaults, FillsAbsentMembersOfPresentParents) {
  Value object = probe_object(
      R"({"must":"a","ts":null,"nul":null,"dn":{"x":null,"y":null},"dl":[{},{"x":null}]})");

  prune(object, probe().root);
  set_defaults(object, probe().root);

  const Value* spec = find(object, {"spec"});
  EXPECT_TRUE(equal(
      *spec,
      json(R"({"must":"a","ts":"x","nul":null,"dn":{"x":5,"y":null},"dl":[{"x":"z"},{"x":"z"}]})")))
      << to_json(*spec);
}

TEST(StructuralDefaults, ReachesIntoADefaultedParent) {
  Value object = probe_object(R"({"must":"a"})");

  set_defaults(object, probe().root);

  EXPECT_EQ(to_json(*find(object, {"spec", "dn"})), R"({"x":5,"y":"q"})");
}

TEST(StructuralOpenApi, PublishesWhatTheRealServerPublishes) {
  const Value published = to_open_api(probe().root);

  EXPECT_EQ(to_json(*find(published, {"properties", "metadata", "allOf"})),
            R"([{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}])");
  const Value* spec = find(published, {"properties", "spec", "properties"});
  ASSERT_TRUE(spec);
  EXPECT_TRUE(equal(*find(*spec, {"i"}),
                    json(R"({"type":"integer","maximum":10,"minimum":2,"multipleOf":2})")));
  EXPECT_TRUE(equal(
      *find(*spec, {"ios"}),
      json(
          R"({"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true})")));
  EXPECT_TRUE(
      equal(*find(*spec, {"all"}), json(R"({"type":"object","additionalProperties":true})")));
  EXPECT_TRUE(
      equal(*find(*spec, {"none"}), json(R"({"type":"object","additionalProperties":false})")));
  EXPECT_TRUE(equal(*find(*spec, {"emb", "required"}), json(R"(["kind","apiVersion"])")));
  EXPECT_TRUE(equal(
      *find(*spec, {"allo"}),
      json(
          R"({"type":"object","allOf":[{"required":["a"]},{"properties":{"b":{"minLength":2}}}],"properties":{"a":{"type":"string"},"b":{"type":"string"}}})")));
  EXPECT_FALSE(find(published, {"x-kubernetes-embedded-resource"}));
}

}  // namespace
}  // namespace holdfast::model
