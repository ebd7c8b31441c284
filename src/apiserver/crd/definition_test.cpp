/// The sentences here were read off kube-apiserver 1.34.4 with the same definitions.
#include "crd/definition.h"

namespace holdfast::apiserver {
namespace {

using model::Value;
using Lines = std::vector<std::string>;

constexpr std::string_view kSchema =
    R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"number"},"o":{"type":"object","properties":{"b":{"type":"boolean"}}}}}}}})";
constexpr std::string_view kLabel =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

Value json(const std::string& text) {
  auto parsed = model::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? parsed->value : Value();
}

/// `S` in `versions` stands for a good schema.
Value definition(std::string versions = R"([{"name":"v1","served":true,"storage":true,S}])") {
  for (size_t at; (at = versions.find(",S")) != versions.npos;)
    versions.replace(at + 1, 1, kSchema);
  return json(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"bads.hold.fast"},
          "spec":{"group":"hold.fast","names":{"plural":"bads","kind":"Bad"},"scope":"Namespaced","versions":)" +
      versions + "}}");
}

Lines texts(const model::FieldErrors& errors) {
  Lines out;
  for (const model::FieldError& error : errors) out.push_back(error.text());
  return out;
}

/// The way of a definition on create.
Lines complaints(Value object) {
  default_definition(object);
  prepare_definition_create(object);
  model::FieldErrors errors;
  validate_definition(object, errors);
  return texts(errors);
}

Lines complaints(std::initializer_list<std::string_view> path, const std::string& value) {
  Value object = definition();
  std::vector<std::string_view> names(path);
  model::Object* parent = &object.get_object();
  for (size_t i = 0; i + 1 < names.size(); ++i) parent = &(*parent)[names[i]].as_object();
  (*parent)[names.back()] = json(value);
  return complaints(object);
}

TEST(Definition, AcceptsAGoodOne) { EXPECT_EQ(complaints(definition()), Lines{}); }

TEST(Definition, ChecksGroupScopeAndName) {
  EXPECT_EQ(
      complaints({"metadata", "name"}, R"("other.hold.fast")"),
      Lines{
          R"(metadata.name: Invalid value: "other.hold.fast": must be spec.names.plural+"."+spec.group)"});
  EXPECT_EQ(
      complaints({"spec", "scope"}, "\"Foo\""),
      Lines{R"(spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced")"});
  EXPECT_EQ(
      complaints({"spec"}, "{}"),
      (Lines{
          R"(metadata.name: Invalid value: "bads.hold.fast": must be spec.names.plural+"."+spec.group)",
          "spec.group: Required value", "spec.scope: Required value",
          "spec.versions: Invalid value: null: must have exactly one version marked as storage "
          "version",
          "spec.names.plural: Required value", "spec.names.singular: Required value",
          "spec.names.kind: Required value", "spec.names.listKind: Required value",
          "status.storedVersions: Invalid value: null: must have at least one stored version"}));
}

TEST(Definition, ChecksNames) {
  EXPECT_EQ(
      complaints({"spec", "names"}, R"({"plural":"bads","kind":"Bad","listKind":"Bad"})"),
      Lines{R"(spec.names.listKind: Invalid value: "Bad": kind and listKind may not be the same)"});
  const std::string mixed = "may have mixed case, but should otherwise match: ";
  EXPECT_EQ(
      complaints(
          {"spec", "names"},
          R"({"plural":"bads","kind":"Ba d","shortNames":["A"],"categories":["B_"],"singular":"X"})"),
      (Lines{R"(spec.names.singular: Invalid value: "X": )" + std::string(kLabel),
             R"(spec.names.kind: Invalid value: "Ba d": )" + mixed + std::string(kLabel),
             R"(spec.names.listKind: Invalid value: "Ba dList": )" + mixed + std::string(kLabel),
             R"(spec.names.shortNames[0]: Invalid value: "A": )" + std::string(kLabel),
             R"(spec.names.categories[0]: Invalid value: "B_": )" + std::string(kLabel)}));
}

TEST(Definition, WantsOneStorageVersionAndSchemas) {
  EXPECT_EQ(complaints(definition(R"([{"name":"v1","served":true,"storage":true}])")),
            Lines{"spec.versions[0].schema.openAPIV3Schema: Required value"});
  EXPECT_EQ(
      complaints(definition(R"([{"name":"v1","served":true,"storage":false,S}])")),
      (Lines{
          R"(spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version)",
          "status.storedVersions: Invalid value: null: must have at least one stored version"}));
  const Lines two = complaints(definition(
      R"([{"name":"v1","served":true,"storage":true,S},{"name":"v2","served":true,"storage":true,S}])"));
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1],
            R"(status.storedVersions: Invalid value: ["v1"]: must have the storage version v2)");
  EXPECT_EQ(complaints(definition(R"([{"name":"V1_","served":true,"storage":true,S}])")),
            (Lines{R"(spec.versions[0].name: Invalid value: "V1_": )" + std::string(kLabel),
                   R"(spec.version: Invalid value: "V1_": )" + std::string(kLabel)}));
  EXPECT_EQ(
      complaints(
          definition(R"([{"name":"v1","served":true,"storage":true,"deprecationWarning":"x",S}])")),
      Lines{
          R"(spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions)"});
}

TEST(Definition, NamesASchemaByWhereTheRealServerKeepsIt) {
  EXPECT_EQ(
      complaints(definition(
          R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{}}}])")),
      Lines{"spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"});
  EXPECT_EQ(
      complaints(definition(
          R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{}}},{"name":"v2","served":true,"storage":false,S}])")),
      Lines{"spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at "
            "the root"});
}

TEST(Definition, ChecksPrinterColumns) {
  EXPECT_EQ(
      complaints(definition(
          R"([{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[{"name":"","type":"","jsonPath":""},{"name":"A","type":"foo","jsonPath":"spec.a","format":"zz"},{"name":"B","type":"string","jsonPath":".spec.[x"}],S}])")),
      (Lines{
          "spec.additionalPrinterColumns[0].name: Required value",
          "spec.additionalPrinterColumns[0].type: Required value: must be one of "
          "boolean,date,integer,number,string",
          "spec.additionalPrinterColumns[0].JSONPath: Required value",
          R"(spec.additionalPrinterColumns[1].type: Invalid value: "foo": must be one of boolean,date,integer,number,string)",
          R"(spec.additionalPrinterColumns[1].format: Invalid value: "zz": must be one of byte,date,date-time,double,float,int32,int64,password)",
          R"(spec.additionalPrinterColumns[1].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .)"}));
}

TEST(Definition, ChecksSelectableFields) {
  EXPECT_EQ(
      complaints(definition(
          R"([{"name":"v1","served":true,"storage":true,"selectableFields":[{"jsonPath":""},{"jsonPath":".spec.a"},{"jsonPath":".spec.a"},{"jsonPath":".spec.n"},{"jsonPath":".metadata.name"},{"jsonPath":"spec.a"},{"jsonPath":".spec.o.b"},{"jsonPath":".spec[0]"},{"jsonPath":".spec.a.b"},{"jsonPath":".spec..a"},{"jsonPath":"."}],S}])")),
      (Lines{
          "spec.selectableFields[0].jsonPath: Required value",
          R"(spec.selectableFields[2].jsonPath: Duplicate value: ".spec.a")",
          R"(spec.selectableFields[3].jsonPath: Invalid value: ".spec.n": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.)",
          R"(spec.selectableFields[4].jsonPath: Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field)",
          R"(spec.selectableFields[5].jsonPath: Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec)",
          R"(spec.selectableFields[7].jsonPath: Invalid value: ".spec[0]": is an invalid path: array notation is not allowed)",
          R"(spec.selectableFields[8].jsonPath: Invalid value: ".spec.a.b": is an invalid path: does not refer to a valid field)",
          R"(spec.selectableFields[9].jsonPath: Invalid value: ".spec..a": is an invalid path: does not refer to a valid field)",
          R"(spec.selectableFields[10].jsonPath: Invalid value: ".": is an invalid path: unexpected end of JSON path)"}));
}

TEST(Definition, ChecksSubresources) {
  EXPECT_EQ(complaints(definition(
                R"([{"name":"v1","served":true,"storage":true,"subresources":{"scale":{}},S}])")),
            (Lines{"spec.subresources.scale.specReplicasPath: Required value",
                   "spec.subresources.scale.statusReplicasPath: Required value"}));
  EXPECT_EQ(
      complaints(definition(
          R"([{"name":"v1","served":true,"storage":true,"subresources":{"scale":{"specReplicasPath":".status.x","statusReplicasPath":"x","labelSelectorPath":".foo"}},S}])")),
      (Lines{
          R"(spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec)",
          R"(spec.subresources.scale.statusReplicasPath: Invalid value: "x": must be a simple json path starting with .)",
          R"(spec.subresources.scale.labelSelectorPath: Invalid value: ".foo": should be a json path under either .spec or .status)"}));
  const Lines more = complaints(definition(
      R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","maxProperties":3}},"subresources":{"status":{}}}])"));
  ASSERT_EQ(more.size(), 1u);
  EXPECT_TRUE(more[0].starts_with(
      R"(spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false)"));
  EXPECT_TRUE(more[0].ends_with(
      ": only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
      "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
      "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at "
      "the root of the schema if the status subresource is enabled"));
}

TEST(Definition, ChecksConversion) {
  EXPECT_EQ(
      complaints({"spec", "conversion"}, R"({"strategy":"Foo"})"),
      Lines{
          R"(spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook")"});
  EXPECT_EQ(complaints({"spec", "conversion"}, R"({"strategy":"Webhook"})"),
            (Lines{"spec.conversion.webhookClientConfig: Required value: required when strategy is "
                   "set to Webhook",
                   "spec.conversion.conversionReviewVersions: Required value"}));
  EXPECT_EQ(
      complaints(
          {"spec", "conversion"},
          R"({"strategy":"None","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://x"}}})"),
      (Lines{"spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is "
             "not set to Webhook",
             "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy "
             "is not set to Webhook"}));
  EXPECT_EQ(
      complaints(
          {"spec", "conversion"},
          R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":["v7","v7"],"clientConfig":{"url":"http://x"}}})"),
      (Lines{
          R"(spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path])",
          R"(spec.conversion.conversionReviewVersions[1]: Invalid value: "v7": duplicate version)",
          R"(spec.conversion.conversionReviewVersions: Invalid value: ["v7","v7"]: must include at least one of v1, v1beta1)"}));
  EXPECT_EQ(
      complaints(
          {"spec", "conversion"},
          R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"service":{"name":"","namespace":"","path":"x","port":0}}}})"),
      (Lines{
          "spec.conversion.webhookClientConfig.service.name: Required value",
          "spec.conversion.webhookClientConfig.service.namespace: Required value",
          "spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: "
          "must be between 1 and 65535, inclusive",
          R"(spec.conversion.webhookClientConfig.service.path: Invalid value: "x": must start with a '/')",
          R"(spec.conversion.webhookClientConfig.service.path: Invalid value: "x": segment[0] may not be empty)"}));
}

TEST(Definition, ProtectsTheCommunitysGroups) {
  Value object = definition();
  object.at("metadata").as_object()["name"] = "bads.foo.k8s.io";
  object.at("spec").as_object()["group"] = "foo.k8s.io";
  EXPECT_EQ(
      complaints(object),
      Lines{
          R"(metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111)"});
  object.at("metadata").as_object()["annotations"] = {{"api-approved.kubernetes.io", "no"}};
  EXPECT_EQ(
      complaints(object),
      Lines{
          R"(metadata.annotations[api-approved.kubernetes.io]: Invalid value: "no": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111)"});
  object.at("metadata").as_object()["annotations"] = {
      {"api-approved.kubernetes.io", "unapproved, x"}};
  EXPECT_EQ(complaints(object), Lines{});
}

TEST(Definition, KeepsWhatTheStoreDependsOn) {
  Value old = definition();
  default_definition(old);
  prepare_definition_create(old);
  settle_definition(old, {}, "2026-01-02T03:04:05Z");
  Value next = old;
  model::Object& spec = next.at("spec").as_object();
  spec["scope"] = "Cluster";
  spec["names"].as_object()["kind"] = "Other";
  spec["versions"].as_array()[0].as_object()["name"] = "v2";
  prepare_definition_update(next, old);
  model::FieldErrors errors;

  validate_definition_update(next, old, errors);

  EXPECT_EQ(
      texts(errors),
      (Lines{
          R"(spec.scope: Invalid value: "Cluster": field is immutable)",
          R"(spec.names.kind: Invalid value: "Other": field is immutable)",
          R"(status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions)"}));
}

TEST(Definition, DefaultsWhatTheRealServerDefaults) {
  Value object = definition();
  object.at("spec").as_object()["conversion"] = json(
      R"({"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"a","namespace":"b"}}}})");

  default_definition(object);

  EXPECT_EQ(model::to_json(*model::find(object, {"spec", "names"})),
            R"({"plural":"bads","kind":"Bad","singular":"bad","listKind":"BadList"})");
  EXPECT_EQ(model::int_at(object,
                          {"spec", "conversion", "webhook", "clientConfig", "service", "port"}, 0),
            443);
}

TEST(DefinitionStatus, EstablishesWithTheNamesItWants) {
  Value object = definition();
  default_definition(object);
  prepare_definition_create(object);

  EXPECT_TRUE(settle_definition(object, {}, "2026-01-02T03:04:05Z"));
  EXPECT_FALSE(settle_definition(object, {}, "2026-01-02T09:09:09Z"));

  EXPECT_TRUE(model::equal(*model::find(object, {"status"}), json(R"({
    "acceptedNames":{"kind":"Bad","listKind":"BadList","plural":"bads","singular":"bad"},
    "conditions":[
      {"lastTransitionTime":"2026-01-02T03:04:05Z","message":"no conflicts found","reason":"NoConflicts","status":"True","type":"NamesAccepted"},
      {"lastTransitionTime":"2026-01-02T03:04:05Z","message":"the initial names have been accepted","reason":"InitialNamesAccepted","status":"True","type":"Established"}],
    "storedVersions":["v1"]})")))
      << model::to_json(object);
}

TEST(DefinitionStatus, LeavesTakenNamesToTheirHolder) {
  Value holder = definition();
  default_definition(holder);
  settle_definition(holder, {}, "2026-01-02T03:04:05Z");
  Value object = definition();
  object.at("metadata").as_object()["name"] = "news.hold.fast";
  object.at("spec").as_object()["names"] =
      json(R"({"plural":"news","kind":"Bad","singular":"bad","shortNames":["bads","nn"]})");
  default_definition(object);
  prepare_definition_create(object);

  settle_definition(object, {&holder}, "2026-01-02T03:04:05Z");

  EXPECT_TRUE(model::equal(*model::find(object, {"status", "acceptedNames"}),
                           json(R"({"kind":"","plural":"news"})")))
      << model::to_json(object);
  EXPECT_FALSE(has_condition(object, "Established"));
  EXPECT_TRUE(model::equal(*model::find(object, {"status", "conditions"}), json(R"([
      {"lastTransitionTime":"2026-01-02T03:04:05Z","message":"\"BadList\" is already in use","reason":"ListKindConflict","status":"False","type":"NamesAccepted"},
      {"lastTransitionTime":"2026-01-02T03:04:05Z","message":"not all names are accepted","reason":"NotAccepted","status":"False","type":"Established"}])")));
}

TEST(DefinitionWarnings, NameWhatIsNotEnforced) {
  std::vector<std::string> warnings;

  warn_definition(
      definition(
          R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","format":"foo"},"b":{"type":"integer","format":"int32"},"c":{"type":"string","x-kubernetes-validations":[{"rule":"true"}]}}}}}])"),
      warnings);

  EXPECT_EQ(warnings, (Lines{"unrecognized format \"foo\"",
                             "spec.versions[0].schema.openAPIV3Schema.properties[c].x-kubernetes-"
                             "validations: CEL rules are kept, but not all enforced by this "
                             "server"}));
}

TEST(DefinitionWarnings, SayNothingOfRulesThatAreEnforced) {
  std::vector<std::string> warnings;

  warn_definition(
      definition(
          R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"c":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}}}}])"),
      warnings);

  EXPECT_EQ(warnings, Lines{});
}

}  // namespace
}  // namespace holdfast::apiserver
