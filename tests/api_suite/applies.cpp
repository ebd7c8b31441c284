/// Server-side apply: ownership, conflicts, removal, and the form of managedFields.
#include "suite.h"

namespace holdfast::suite {
namespace {

class Applies : public Case {
 protected:
  Reply apply_map(const std::string& options, const std::string& data,
                  const std::string& more = "") {
    return apply(
        "$CM/a", options,
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a" + more + "}, data: " + data + "}");
  }
};

TEST_F(Applies, CreatesWhatIsNotThere) {
  const Reply made = apply_map("fieldManager=one", "{k: v}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("data/k"), "v");
  EXPECT_EQ(made.at("metadata/managedFields/0/manager"), "one");
  EXPECT_EQ(made.at("metadata/managedFields/0/operation"), "Apply");
  EXPECT_EQ(made.at("metadata/managedFields/0/apiVersion"), "v1");
  EXPECT_EQ(made.at("metadata/managedFields/0/fieldsType"), "FieldsV1");
  EXPECT_EQ(made.at("metadata/managedFields/0/fieldsV1"), R"({"f:data":{"f:k":{}}})");
  EXPECT_EQ(apply_map("fieldManager=one", "{k: v}").code, 200);
}

TEST_F(Applies, NeedsAManager) {
  EXPECT_EQ(
      apply("$CM/a", "", "{apiVersion: v1, kind: ConfigMap}").failure(),
      "422 Invalid: PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
      "required for apply patch");
}

TEST_F(Applies, SameAgainChangesNothing) {
  const std::string version =
      apply_map("fieldManager=one", "{k: v}").at("metadata/resourceVersion");
  EXPECT_EQ(apply_map("fieldManager=one", "{k: v}").at("metadata/resourceVersion"), version);
}

TEST_F(Applies, ConflictNamesManagerAndField) {
  apply_map("fieldManager=one", "{k: v}");
  const Reply refused = apply_map("fieldManager=two", "{k: w}");
  EXPECT_EQ(refused.failure(),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"one\": .data.k");
  EXPECT_EQ(refused.causes(), "FieldManagerConflict .data.k: conflict with \"one\"");
  EXPECT_EQ(refused.at("details/name"), "");
}

TEST_F(Applies, SeveralConflicts) {
  apply_map("fieldManager=one", "{k: v, l: v}");
  const Reply refused = apply_map("fieldManager=two", "{k: w, l: w}");
  EXPECT_EQ(
      refused.failure(),
      "409 Conflict: Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.k\n- .data.l");
}

TEST_F(Applies, ConflictWithAnUpdate) {
  send({.method = "POST",
        .target = "$CM?fieldManager=writer",
        .body = R"({"metadata":{"name":"a"},"data":{"k":"v"}})"});
  const Reply refused = apply_map("fieldManager=two", "{k: w}");
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.causes().substr(0, 63),
            "FieldManagerConflict .data.k: conflict with \"writer\" using v1");
}

TEST_F(Applies, ForceTakesTheField) {
  apply_map("fieldManager=one", "{k: v, l: v}");
  const Reply forced = apply_map("fieldManager=two&force=true", "{k: w}");
  EXPECT_EQ(forced.code, 200);
  EXPECT_EQ(forced.at("data"), R"({"k":"w","l":"v"})");
  EXPECT_EQ(forced.at("metadata/managedFields/0/manager"), "one");
  EXPECT_EQ(forced.at("metadata/managedFields/0/fieldsV1"), R"({"f:data":{"f:l":{}}})");
  EXPECT_EQ(forced.at("metadata/managedFields/1/manager"), "two");
  EXPECT_EQ(forced.at("metadata/managedFields/1/fieldsV1"), R"({"f:data":{"f:k":{}}})");
}

TEST_F(Applies, EqualValuesAreShared) {
  apply_map("fieldManager=one", "{k: v}");
  EXPECT_EQ(apply_map("fieldManager=two", "{k: v}").code, 200);
  // Neither alone can change it, nor does one leaving remove it.
  EXPECT_EQ(apply_map("fieldManager=one", "{k: w}").code, 409);
  EXPECT_EQ(apply_map("fieldManager=one", "{}").at("data/k"), "v");
  EXPECT_EQ(apply_map("fieldManager=two", "{}").at("data/k"), "");
}

TEST_F(Applies, FieldsLeftOutAreRemoved) {
  apply_map("fieldManager=one", "{k: v, l: v}", ", labels: {x: one}");
  const Reply now = apply_map("fieldManager=one", "{k: v}");
  EXPECT_EQ(now.at("data"), R"({"k":"v"})");
  EXPECT_EQ(now.at("metadata/labels"), "");
}

TEST_F(Applies, FieldsOfOthersStay) {
  apply_map("fieldManager=one", "{k: v}");
  merge("$CM/a", "{data: {other: w}}");
  EXPECT_EQ(apply_map("fieldManager=one", "{k2: v}").at("data"), R"({"k2":"v","other":"w"})");
}

TEST_F(Applies, UpdatesOwnWhatTheyChange) {
  apply_map("fieldManager=one", "{k: v, l: v}");
  const Reply now = merge("$CM/a?fieldManager=hand", "{data: {k: w}}");
  EXPECT_EQ(now.at("metadata/managedFields/1/manager"), "hand");
  EXPECT_EQ(now.at("metadata/managedFields/1/operation"), "Update");
  EXPECT_EQ(now.at("metadata/managedFields/1/fieldsV1"), R"({"f:data":{"f:k":{}}})");
  EXPECT_EQ(now.at("metadata/managedFields/0/fieldsV1"), R"({"f:data":{"f:l":{}}})");
}

TEST_F(Applies, ManagerOfACreateIsTheUserAgent) {
  EXPECT_EQ(make_map("a").at("metadata/managedFields/0/manager"), "suite");
  EXPECT_EQ(get("$CM/a").at("metadata/managedFields/0/fieldsV1"),
            R"({"f:data":{".":{},"f:k":{}}})");
}

TEST_F(Applies, ManagedFieldsCanBeCleared) {
  apply_map("fieldManager=one", "{k: v}");
  EXPECT_EQ(merge("$CM/a", "{metadata: {managedFields: [{}]}}").at("metadata/managedFields"), "");
  EXPECT_EQ(apply_map("fieldManager=two", "{k: w}").failure().substr(0, 12), "409 Conflict");
}

TEST_F(Applies, ManagedFieldsCannotBeApplied) {
  EXPECT_EQ(apply_map("fieldManager=one", "{k: v}", ", managedFields: [{manager: x}]").failure(),
            "400 BadRequest: metadata.managedFields must be nil");
}

TEST_F(Applies, BodyMustMatchThePath) {
  EXPECT_EQ(
      apply("$CM/a", "fieldManager=one", "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}")
          .failure(),
      "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(
      apply("$CM/a", "fieldManager=one", "{apiVersion: v2, kind: ConfigMap, metadata: {name: a}}")
          .failure(),
      "400 BadRequest: invalid object type: /v2, Kind=ConfigMap");
  EXPECT_EQ(
      apply("$CM/a", "fieldManager=one", "{apiVersion: v1, kind: Secret, metadata: {name: a}}")
          .failure(),
      "400 BadRequest: invalid object type: /v1, Kind=Secret");
  EXPECT_EQ(apply("$CM/a", "fieldManager=one", "{metadata: {name: a}}").failure(),
            "400 BadRequest: invalid object type: /, Kind=");
}

TEST_F(Applies, UnknownFieldsAreRefusedWhenStrict) {
  EXPECT_EQ(
      apply("$CM/a", "fieldManager=one&fieldValidation=Strict",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, bogus: 1}")
          .failure(),
      "500 : failed to create typed patch object (/a; /v1, Kind=ConfigMap): .bogus: field not "
      "declared in schema");
}

TEST_F(Applies, DuplicateItemsAreRefused) {
  EXPECT_EQ(apply("/api/v1/namespaces/$NS/services/s", "fieldManager=one",
                  "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: "
                  "[{port: 80, name: a}, {port: 80, name: b}]}}")
                .failure(),
            "500 : failed to create typed patch object (/s; /v1, Kind=Service): .spec.ports: "
            "duplicate entries for key [port=80,protocol=\"TCP\"]");
}

TEST_F(Applies, WrongTypesAreRefused) {
  EXPECT_EQ(apply("$CM/a", "fieldManager=one",
                  "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: [1]}")
                .failure(),
            "500 : failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data: expected "
            "map, got &{[1]}");
}

TEST_F(Applies, DryRunShowsTheResult) {
  EXPECT_EQ(apply_map("fieldManager=one&dryRun=All", "{k: v}").code, 201);
  EXPECT_EQ(get("$CM/a").code, 404);
}

TEST_F(Applies, ListsMergeByKey) {
  const std::string target = "/apis/apps/v1/namespaces/$NS/deployments/d";
  const std::string head = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: ";
  const Reply made = apply(
      target, "fieldManager=one",
      head +
          "{selector: {matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, spec: "
          "{containers: [{name: a, image: one}]}}}}");
  ASSERT_EQ(made.code, 201) << made.body;
  const Reply both = apply(target, "fieldManager=two",
                           head + "{template: {spec: {containers: [{name: b, image: two}]}}}}");
  EXPECT_EQ(both.code, 200) << both.body;
  EXPECT_EQ(both.at("spec/template/spec/containers/0/name"), "a");
  EXPECT_EQ(both.at("spec/template/spec/containers/1/name"), "b");
  EXPECT_EQ(both.at("metadata/managedFields/1/fieldsV1"),
            R"({"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":)"
            R"({".":{},"f:image":{},"f:name":{}}}}}}})");
  const Reply gone = apply(target, "fieldManager=two", head + "{template: {spec: {}}}}");
  EXPECT_EQ(gone.at("spec/template/spec/containers/1"), "");
}

TEST_F(Applies, CustomResources) {
  make_widgets(
      "{type: object, properties: {spec: {type: object, properties: {a: {type: string}, "
      "b: {type: string}}}}}");
  const std::string head = "{apiVersion: $G/v1, kind: Widget, metadata: {name: w}, spec: ";
  EXPECT_EQ(apply("$W/w", "fieldManager=one", head + "{a: x}}").code, 201);
  const Reply both = apply("$W/w", "fieldManager=two", head + "{b: x}}");
  EXPECT_EQ(both.at("spec"), R"({"a":"x","b":"x"})");
  EXPECT_EQ(both.at("metadata/managedFields/1/fieldsV1"), R"({"f:spec":{"f:b":{}}})");
  EXPECT_EQ(apply("$W/w", "fieldManager=two", head + "{a: other}}").failure(),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"one\": .spec.a");
  EXPECT_EQ(apply("$W/w", "fieldManager=one", head + "{}}").at("spec"), R"({"b":"x"})");
}

TEST_F(Applies, StatusIsOwnedApart) {
  make_widgets("{type: object, x-kubernetes-preserve-unknown-fields: true}",
               ", subresources: {status: {}}");
  const std::string head = "{apiVersion: $G/v1, kind: Widget, metadata: {name: w}, ";
  apply("$W/w", "fieldManager=one", head + "spec: {a: x}}");
  const Reply now = apply("$W/w/status", "fieldManager=one", head + "status: {s: y1}}");
  EXPECT_EQ(now.code, 200);
  EXPECT_EQ(now.at("metadata/managedFields/1/subresource"), "status");
  EXPECT_EQ(now.at("metadata/managedFields/1/fieldsV1"), R"({"f:status":{".":{},"f:s":{}}})");
  EXPECT_EQ(now.at("metadata/managedFields/0/fieldsV1"), R"({"f:spec":{".":{},"f:a":{}}})");
}

}  // namespace
}  // namespace holdfast::suite
