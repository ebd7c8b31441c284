/// JSON patch, merge patch and strategic merge patch.
#include "suite.h"

namespace holdfast::suite {
namespace {

class Patches : public Case {
 protected:
  void make_deployment() {
    const Reply made = post("/apis/apps/v1/namespaces/$NS/deployments", R"({metadata: {name: d},
      spec: {selector: {matchLabels: {app: d}}, template: {metadata: {labels: {app: d}},
      spec: {containers: [{name: a, image: one, env: [{name: E, value: '1'}],
      ports: [{containerPort: 80}]}, {name: b, image: two}]}}}})");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  Reply change(const std::string& containers) {
    return strategic("/apis/apps/v1/namespaces/$NS/deployments/d",
                     "{spec: {template: {spec: " + containers + "}}}");
  }
  static std::string names(const Reply& reply) {
    std::string out;
    for (const model::Value& one :
         model::array_at(reply.json, {"spec", "template", "spec", "containers"}))
      out += value_at(one, "name") + "=" + value_at(one, "image") + " ";
    return out;
  }
};

TEST_F(Patches, MergeSetsAndRemoves) {
  make_map("a", ", labels: {x: one, z: two}");
  const Reply now = merge("$CM/a", "{metadata: {labels: {x: null, w: three}}, data: {k2: v2}}");
  EXPECT_EQ(now.code, 200);
  EXPECT_EQ(now.at("metadata/labels"), R"({"w":"three","z":"two"})");
  EXPECT_EQ(now.at("data"), R"({"k":"v","k2":"v2"})");
}

TEST_F(Patches, MergeReplacesLists) {
  make_map("a", ", finalizers: [x.y/one, x.y/two]");
  EXPECT_EQ(merge("$CM/a", "{metadata: {finalizers: [x.y/two]}}").at("metadata/finalizers"),
            R"(["x.y/two"])");
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Patches, MergeCannotRename) {
  make_map("a");
  EXPECT_EQ(merge("$CM/a", "{metadata: {name: b}}").failure(),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(merge("$CM/a", "{metadata: {namespace: default}}").failure(),
            "400 BadRequest: the namespace of the provided object does not match the namespace "
            "sent on the request");
}

TEST_F(Patches, MergeMustBeAnObject) {
  make_map("a");
  EXPECT_EQ(merge("$CM/a", "[1]").failure(),
            "400 BadRequest: error decoding patch: json: cannot unmarshal array into Go value of "
            "type map[string]interface {}");
}

TEST_F(Patches, MergeOfNothing) {
  EXPECT_EQ(merge("$CM/none", "{}").failure(), "404 NotFound: configmaps \"none\" not found");
}

TEST_F(Patches, MergeWithAStaleVersionConflicts) {
  const std::string version = make_map("a").at("metadata/resourceVersion");
  merge("$CM/a", "{data: {k: w}}");
  EXPECT_EQ(merge("$CM/a", "{metadata: {resourceVersion: '" + version + "'}}").failure(),
            "409 Conflict: Operation cannot be fulfilled on configmaps \"a\": the object has been "
            "modified; please apply your changes to the latest version and try again");
}

TEST_F(Patches, JsonOperations) {
  make_map("a", ", labels: {x: one}");
  const Reply now = json_patch("$CM/a", R"([{op: test, path: /data/k, value: v},
    {op: add, path: /data/n1, value: new}, {op: copy, from: /data/k, path: /data/c},
    {op: move, from: /data/k, path: /data/m}, {op: replace, path: /metadata/labels/x, value: two}])");
  EXPECT_EQ(now.code, 200);
  EXPECT_EQ(now.at("data"), R"({"c":"v","m":"v","n1":"new"})");
  EXPECT_EQ(now.at("metadata/labels/x"), "two");
}

TEST_F(Patches, JsonTestThatFails) {
  make_map("a");
  const Reply refused = json_patch("$CM/a", "[{op: test, path: /data/k, value: other}]");
  EXPECT_EQ(refused.failure(),
            "422 Invalid: the server rejected our request due to an error in our request");
  EXPECT_EQ(refused.at("details"), "{}");
}

TEST_F(Patches, JsonPathsThatAreNotThere) {
  make_map("a");
  const std::string refused =
      "422 Invalid: the server rejected our request due to an error in our request";
  EXPECT_EQ(json_patch("$CM/a", "[{op: remove, path: /data/none}]").failure(), refused);
  EXPECT_EQ(json_patch("$CM/a", "[{op: replace, path: /none, value: x}]").failure(), "200");
  EXPECT_EQ(json_patch("$CM/a", "[{op: move, from: /none/a, path: /data/b}]").failure(), refused);
  EXPECT_EQ(json_patch("$CM/a", "[{op: add, path: /none/deep/er, value: x}]").failure(), refused);
}

TEST_F(Patches, JsonUnknownOperation) {
  make_map("a");
  EXPECT_EQ(json_patch("$CM/a", "[{op: jump, path: /data/k}]").failure(),
            "422 Invalid: the server rejected our request due to an error in our request");
}

TEST_F(Patches, JsonMustBeAList) {
  make_map("a");
  EXPECT_EQ(json_patch("$CM/a", "{op: add}").failure(),
            "400 BadRequest: error decoding patch: json: cannot unmarshal object into Go value of "
            "type []handlers.jsonPatchOp");
}

TEST_F(Patches, JsonPatchCannotRename) {
  make_map("a");
  EXPECT_EQ(json_patch("$CM/a", "[{op: replace, path: /metadata/name, value: b}]").failure(),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
}

TEST_F(Patches, StrategicMergesByKey) {
  make_deployment();
  const Reply now = change("{containers: [{name: b, image: three}, {name: c, image: four}]}");
  EXPECT_EQ(names(now), "a=one b=three c=four ");
}

TEST_F(Patches, StrategicMergesNestedLists) {
  make_deployment();
  const Reply now = change("{containers: [{name: a, env: [{name: F, value: '2'}]}]}");
  EXPECT_EQ(now.at("spec/template/spec/containers/0/env"),
            R"([{"name":"F","value":"2"},{"name":"E","value":"1"}])");
}

TEST_F(Patches, StrategicDeletesByDirective) {
  make_deployment();
  EXPECT_EQ(names(change("{containers: [{name: a, $patch: delete}]}")), "b=two ");
}

TEST_F(Patches, StrategicReplacesByDirective) {
  make_deployment();
  EXPECT_EQ(names(change("{containers: [{$patch: replace}, {name: z, image: only}]}")), "z=only ");
}

TEST_F(Patches, StrategicSetsTheOrder) {
  make_deployment();
  EXPECT_EQ(names(change("{$setElementOrder/containers: [{name: b}, {name: a}]}")), "b=two a=one ");
}

TEST_F(Patches, StrategicDeletesFromPrimitiveLists) {
  make_map("a", ", finalizers: [x.y/one, x.y/two]");
  EXPECT_EQ(strategic("$CM/a", "{metadata: {$deleteFromPrimitiveList/finalizers: [x.y/one]}}")
                .at("metadata/finalizers"),
            R"(["x.y/two"])");
  EXPECT_EQ(strategic("$CM/a", "{metadata: {finalizers: [x.y/three]}}").at("metadata/finalizers"),
            R"(["x.y/three","x.y/two"])");
  merge("$CM/a", "{metadata: {finalizers: null}}");
}

TEST_F(Patches, StrategicRetainsKeys) {
  make_deployment();
  const Reply now = strategic("/apis/apps/v1/namespaces/$NS/deployments/d",
                              "{spec: {strategy: {$retainKeys: [type], type: Recreate}}}");
  EXPECT_EQ(now.at("spec/strategy"), R"({"type":"Recreate"})");
}

TEST_F(Patches, StrategicReplacesMaps) {
  make_map("a", ", labels: {x: one}");
  EXPECT_EQ(strategic("$CM/a", "{data: {$patch: replace, z: two}}").at("data"), R"({"z":"two"})");
}

TEST_F(Patches, StrategicNeedsTheMergeKey) {
  make_deployment();
  EXPECT_EQ(change("{containers: [{image: nameless}]}").failure(),
            "500 : map: map[image:nameless] does not contain declared merge key: name");
}

TEST_F(Patches, StrategicIsNotForCustomResources) {
  make_widgets("{type: object, x-kubernetes-preserve-unknown-fields: true}");
  post("$W", "{apiVersion: $G/v1, kind: Widget, metadata: {name: a}}");
  EXPECT_EQ(strategic("$W/a", "{spec: {}}").failure(),
            "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted "
            "media types include: application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml");
}

TEST_F(Patches, UnknownTypeOfPatch) {
  make_map("a");
  EXPECT_EQ(
      send({.method = "PATCH", .target = "$CM/a", .body = "{}", .type = "text/plain"}).failure(),
      "415 UnsupportedMediaType: 415: Unsupported Media Type");
}

TEST_F(Patches, BodiesThatDoNotParse) {
  make_map("a");
  const auto send_half = [&](const std::string& type) {
    return send({.method = "PATCH",
                 .target = "$CM/a",
                 .body = "{\"a\":",
                 .type = "application/" + type + "+json"})
        .failure();
  };
  EXPECT_EQ(send_half("merge-patch"),
            "400 BadRequest: error decoding patch: unexpected end of JSON input");
  EXPECT_EQ(send_half("json-patch"),
            "400 BadRequest: error decoding patch: unexpected end of JSON input");
  EXPECT_EQ(send_half("strategic-merge-patch"), "400 BadRequest: unexpected end of JSON input");
}

}  // namespace
}  // namespace holdfast::suite
