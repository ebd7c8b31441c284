/// Custom resources: pruning, defaults, validation, versions, columns and subresources.
#include "suite.h"

namespace holdfast::suite {
namespace {

class Definitions : public Case {
 protected:
  Reply make(const std::string& body, const std::string& name = "a") {
    return post("$W",
                "{apiVersion: $G/v1, kind: Widget, metadata: {name: " + name + "}, " + body + "}");
  }
};

constexpr const char* kSchema = R"({type: object, properties: {spec: {type: object,
  required: [size], properties: {size: {type: integer, minimum: 1, maximum: 9},
  color: {type: string, enum: [red, blue], default: red}, note: {type: string, maxLength: 5},
  part: {type: object, properties: {deep: {type: integer, default: 4}}},
  tags: {type: array, items: {type: string}, x-kubernetes-list-type: set}}},
  status: {type: object, properties: {phase: {type: string}}}}})";

TEST_F(Definitions, AreEstablished) {
  make_widgets(kSchema);
  const Reply crd = get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.$G");
  EXPECT_EQ(crd.at("status/conditions/0/type"), "NamesAccepted");
  EXPECT_EQ(crd.at("status/conditions/0/message"), "no conflicts found");
  EXPECT_EQ(crd.at("status/conditions/1/type"), "Established");
  EXPECT_EQ(crd.at("status/conditions/1/message"), "the initial names have been accepted");
  EXPECT_EQ(crd.at("status/storedVersions"), R"(["v1"])");
  EXPECT_EQ(crd.at("status/acceptedNames/kind"), "Widget");
  EXPECT_EQ(crd.at("spec/conversion/strategy"), "None");
}

TEST_F(Definitions, UnknownFieldsArePruned) {
  make_widgets(kSchema);
  const Reply made = make("spec: {size: 3, bogus: 1}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("spec/bogus"), "");
  EXPECT_EQ(made.header("Warning"), "299 - \"unknown field \\\"spec.bogus\\\"\"");
}

TEST_F(Definitions, UnknownFieldsAreRefusedWhenStrict) {
  make_widgets(kSchema);
  EXPECT_EQ(
      post("$W?fieldValidation=Strict",
           "{apiVersion: $G/v1, kind: Widget, metadata: {name: a}, spec: {size: 3, bogus: 1}}")
          .failure(),
      "400 BadRequest: Widget in version \"v1\" cannot be handled as a Widget: strict decoding "
      "error: unknown field \"spec.bogus\"");
}

TEST_F(Definitions, UnknownFieldsAreIgnoredOnRequest) {
  make_widgets(kSchema);
  const Reply made =
      post("$W?fieldValidation=Ignore",
           "{apiVersion: $G/v1, kind: Widget, metadata: {name: a}, spec: {size: 3, bogus: 1}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.header("Warning"), "");
}

TEST_F(Definitions, DefaultsAreSetInsidePresentParents) {
  make_widgets(kSchema);
  const Reply made = make("spec: {size: 3}");
  EXPECT_EQ(made.at("spec/color"), "red");
  EXPECT_EQ(made.at("spec/part"), "");
  EXPECT_EQ(make("spec: {size: 3, part: {}}", "b").at("spec/part"), R"({"deep":4})");
}

TEST_F(Definitions, ValuesAreValidated) {
  make_widgets(kSchema);
  EXPECT_EQ(
      make("spec: {size: 0}").failure(),
      "422 Invalid: Widget.$G \"a\" is invalid: spec.size: Invalid value: 0: spec.size in body "
      "should be greater than or equal to 1");
  EXPECT_EQ(
      make("spec: {size: 10}").causes(),
      "FieldValueInvalid spec.size: Invalid value: 10: spec.size in body should be less than or "
      "equal to 9");
  EXPECT_EQ(make("spec: {size: 1, color: green}").causes(),
            "FieldValueNotSupported spec.color: Unsupported value: \"green\": supported values: "
            "\"red\", \"blue\"");
  EXPECT_EQ(make("spec: {size: 1, note: toolong}").causes(),
            "FieldValueTooLong spec.note: Too long: may not be more than 5 bytes");
  EXPECT_EQ(make("spec: {}").causes(), "FieldValueRequired spec.size: Required value");
  EXPECT_EQ(
      make("spec: {size: big}").causes(),
      "FieldValueTypeInvalid spec.size: Invalid value: \"string\": spec.size in body must be of "
      "type integer: \"string\"");
  EXPECT_EQ(make("spec: {size: 1, tags: [p, p]}").causes(),
            "FieldValueDuplicate spec.tags[1]: Duplicate value: \"p\"");
}

TEST_F(Definitions, RulesForbidEdits) {
  make_widgets(R"({type: object, properties: {spec: {type: object, properties: {
      size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: size stays}]},
      color: {type: string}, note: {type: string}},
      x-kubernetes-validations: [{message: color stays, fieldPath: .color, rule:
      'has(self.color) == has(oldSelf.color) && (!has(self.color) || self.color == oldSelf.color)'}]}}})",
               ", subresources: {status: {}}");
  EXPECT_EQ(make("spec: {size: 3, color: red}").code, 201);
  EXPECT_EQ(merge("$W/a", "{spec: {size: 4}}").failure(),
            "422 Invalid: Widget.$G \"a\" is invalid: spec.size: Invalid value: \"integer\": size "
            "stays");
  EXPECT_EQ(merge("$W/a", "{spec: {color: null}}").causes(),
            "FieldValueInvalid spec.color: Invalid value: \"object\": color stays");
  EXPECT_EQ(merge("$W/a", "{spec: {note: free}}").code, 200);
  EXPECT_EQ(merge("$W/a", "{spec: {size: null}}").code, 200) << "asked only where there is a value";
}

TEST_F(Definitions, RulesAreNotAskedOfWhatIsWrongOtherwise) {
  make_widgets(R"({type: object, properties: {spec: {type: object, required: [size], properties: {
      size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}})");
  EXPECT_EQ(make("spec: {}").causes(),
            "FieldValueRequired spec.size: Required value\n"
            "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked "
            "because the object was invalid; correct the existing errors to complete validation");
}

TEST_F(Definitions, GenerationCountsSpecs) {
  make_widgets(kSchema, ", subresources: {status: {}}");
  EXPECT_EQ(make("spec: {size: 3}, status: {phase: Done}").at("metadata/generation"), "1");
  EXPECT_EQ(get("$W/a").at("status"), "");
  EXPECT_EQ(merge("$W/a", "{metadata: {labels: {x: one}}}").at("metadata/generation"), "1");
  EXPECT_EQ(merge("$W/a", "{spec: {size: 4}}").at("metadata/generation"), "2");
  const Reply both = merge("$W/a", "{spec: {size: 5}, status: {phase: Done}}");
  EXPECT_EQ(both.at("metadata/generation"), "3");
  EXPECT_EQ(both.at("status"), "");
}

TEST_F(Definitions, StatusChangesOnlyStatus) {
  make_widgets(kSchema, ", subresources: {status: {}}");
  make("spec: {size: 3}");
  const Reply now = merge("$W/a/status",
                          "{spec: {size: 4}, status: {phase: Done}, metadata: {labels: {x: one}}}");
  EXPECT_EQ(now.code, 200);
  EXPECT_EQ(now.at("spec/size"), "3");
  EXPECT_EQ(now.at("status/phase"), "Done");
  EXPECT_EQ(now.at("metadata/generation"), "1");
  EXPECT_EQ(now.at("metadata/labels"), "");
  EXPECT_EQ(get("$W/a/status").at("status/phase"), "Done");
}

TEST_F(Definitions, WithoutStatusAllIsSpec) {
  make_widgets(kSchema);
  EXPECT_EQ(make("spec: {size: 3}, status: {phase: Done}").at("status/phase"), "Done");
  EXPECT_EQ(merge("$W/a", "{status: {phase: Next}}").at("metadata/generation"), "2");
  EXPECT_EQ(get("$W/a/status").failure(), "404 NotFound: widgets.$G \"a\" not found");
}

TEST_F(Definitions, ScaleReadsAndWritesPaths) {
  make_widgets(
      "{type: object, properties: {spec: {type: object, properties: {replicas: {type: integer}}}, "
      "status: {type: object, properties: {replicas: {type: integer}, selector: {type: string}}}}}",
      ", subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, "
      "statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}");
  make("spec: {replicas: 2}");
  merge("$W/a/status", "{status: {replicas: 1, selector: 'x=one'}}");
  const Reply scale = get("$W/a/scale");
  EXPECT_EQ(scale.at("kind"), "Scale");
  EXPECT_EQ(scale.at("apiVersion"), "autoscaling/v1");
  EXPECT_EQ(scale.at("spec"), R"({"replicas":2})");
  EXPECT_EQ(scale.at("status"), R"({"replicas":1,"selector":"x=one"})");
  EXPECT_EQ(merge("$W/a/scale", "{spec: {replicas: 7}}").at("spec/replicas"), "7");
  EXPECT_EQ(get("$W/a").at("spec/replicas"), "7");
  EXPECT_EQ(get("$W/a").at("metadata/generation"), "2");
  EXPECT_EQ(merge("$W/a/scale", "{spec: {replicas: -1}}").code, 422);
}

TEST_F(Definitions, ColumnsArePrinted) {
  make_widgets(
      kSchema,
      ", additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size, "
      "description: how big}, {name: Hidden, type: string, jsonPath: .spec.color, priority: 1}]");
  make("spec: {size: 3}");
  const Reply printed = table("$W");
  EXPECT_EQ(printed.at("kind"), "Table");
  EXPECT_EQ(printed.at("columnDefinitions/0/name"), "Name");
  EXPECT_EQ(printed.at("columnDefinitions/1"),
            R"({"name":"Size","type":"integer","format":"","description":"how big","priority":0})");
  EXPECT_EQ(printed.at("columnDefinitions/2/priority"), "1");
  EXPECT_EQ(printed.at("rows/0/cells"), R"(["a",3,"red"])");
  EXPECT_EQ(printed.at("rows/0/object/kind"), "PartialObjectMetadata");
}

TEST_F(Definitions, WithoutColumnsTheAgeIsPrinted) {
  make_widgets(kSchema);
  make("spec: {size: 3}");
  const Reply printed = table("$W");
  EXPECT_EQ(printed.at("columnDefinitions/1/name"), "Age");
  EXPECT_EQ(printed.at("columnDefinitions/1/type"), "date");
}

TEST_F(Definitions, SelectableFields) {
  make_widgets(kSchema, ", selectableFields: [{jsonPath: .spec.color}]");
  make("spec: {size: 3}");
  make("spec: {size: 3, color: blue}", "b");
  EXPECT_EQ(get("$W?fieldSelector=spec.color%3Dblue").items(), "b");
  EXPECT_EQ(get("$W?fieldSelector=spec.color!%3Dblue").items(), "a");
  EXPECT_EQ(get("$W?fieldSelector=spec.size%3D3").failure(),
            "400 BadRequest: field label not supported: spec.size");
}

TEST_F(Definitions, VersionsShareOneStore) {
  const std::string schema =
      "schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}";
  ASSERT_EQ(define("{name: v1, served: true, storage: true, " + schema +
                   "}, {name: v2, served: true, storage: "
                   "false, " +
                   schema + "}, {name: v3, served: false, storage: false, " + schema + "}")
                .code,
            201);
  await_widgets();
  make("spec: {size: 3}");
  const Reply other = get("/apis/$G/v2/namespaces/$NS/widgets/a");
  EXPECT_EQ(other.at("apiVersion"), "$G/v2");
  EXPECT_EQ(other.at("spec/size"), "3");
  EXPECT_EQ(other.at("metadata/uid"), get("$W/a").at("metadata/uid"));
  EXPECT_EQ(get("/apis/$G/v3/namespaces/$NS/widgets/a").code, 404);
  EXPECT_EQ(get("/apis/$G").at("preferredVersion/version"), "v2");
}

TEST_F(Definitions, UnstructuralSchemasAreRefused) {
  EXPECT_EQ(
      define("{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, "
             "properties: {a: {properties: {b: {type: string}}}}}}}")
          .failure(),
      "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"widgets.$G\" is invalid: "
      "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for "
      "specified object fields");
  EXPECT_EQ(define("{name: v1, served: true, storage: true}").failure(),
            "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"widgets.$G\" is invalid: "
            "spec.versions[0].schema.openAPIV3Schema: Required value");
  EXPECT_EQ(
      define("{name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}")
          .failure(),
      "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"widgets.$G\" is invalid: "
      "[spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":false,"
      "\"Deprecated\":false,\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,"
      "\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}]: must have exactly one "
      "version "
      "marked as storage version, status.storedVersions: Invalid value: null: must have at least "
      "one "
      "stored version]");
}

TEST_F(Definitions, NameMustBePluralAndGroup) {
  EXPECT_EQ(
      post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
           "{metadata: {name: wrong.$G}, spec: {group: $G, scope: Namespaced, names: "
           "{plural: widgets, "
           "kind: Widget}, versions: [{name: v1, served: true, storage: true, schema: "
           "{openAPIV3Schema: "
           "{type: object}}}]}}")
          .failure(),
      "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"wrong.$G\" is invalid: "
      "metadata.name: Invalid value: \"wrong.$G\": must be spec.names.plural+\".\"+spec.group");
}

TEST_F(Definitions, DeletionTakesTheObjects) {
  make_widgets(kSchema);
  make("spec: {size: 3}");
  del("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.$G");
  EXPECT_EQ(await_gone("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.$G").code,
            404);
  EXPECT_EQ(await_gone("$W").code, 404);
  defined_ = false;
}

TEST_F(Definitions, ObjectsNeedTheirKind) {
  make_widgets(kSchema);
  EXPECT_EQ(post("$W", "{metadata: {name: a}, spec: {size: 1}}").failure(),
            "400 BadRequest: the object provided is unrecognized (must be of type Widget): Object "
            "'Kind' is "
            "missing in '{\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":1}}' "
            "({\"metadata\":{\"name\":\"a\"},\"spec ...)");
  EXPECT_EQ(
      post("$W", "{apiVersion: $G/v1, kind: Gadget, metadata: {name: a}, spec: {size: 1}}")
          .failure(),
      "422 Invalid: Gadget.$G \"a\" is invalid: kind: Invalid value: \"Gadget\": must be Widget");
  EXPECT_EQ(
      post("$W", "{apiVersion: $G/v9, kind: Widget, metadata: {name: a}, spec: {size: 1}}")
          .failure(),
      "400 BadRequest: the API version in the data ($G/v9) does not match the expected API version "
      "($G/v1)");
}

TEST_F(Definitions, UpdatesNeedAVersion) {
  make_widgets(kSchema);
  make("spec: {size: 3}");
  EXPECT_EQ(put("$W/a", "{apiVersion: $G/v1, kind: Widget, metadata: {name: a}, spec: {size: 4}}")
                .failure(),
            "422 Invalid: widgets.$G \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: "
            "must be "
            "specified for an update");
}

TEST_F(Definitions, AreDiscovered) {
  make_widgets(kSchema, ", subresources: {status: {}}", "");
  const Reply found = get("/apis/$G/v1");
  EXPECT_EQ(found.at("kind"), "APIResourceList");
  EXPECT_EQ(found.at("resources/0/name"), "widgets");
  EXPECT_EQ(found.at("resources/0/verbs"),
            R"(["delete","deletecollection","get","list","patch","create","update","watch"])");
  EXPECT_EQ(found.at("resources/1/name"), "widgets/status");
  EXPECT_EQ(found.at("resources/1/verbs"), R"(["get","patch","update"])");
}

}  // namespace
}  // namespace holdfast::suite
