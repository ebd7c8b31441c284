/// Views of objects: discovery, tables, metadata, warnings, protobuf bodies.
#include <holdfast/model/kinds.h>
#include <holdfast/model/typed.h>

#include "suite.h"

namespace holdfast::suite {
namespace {

class Views : public Case {
 protected:
  static std::string message(uint32_t tag, const std::string& bytes) {
    std::string out(1, char(tag << 3 | 2));
    size_t size = bytes.size();
    for (; size > 127; size >>= 7) out += char(size | 128);
    return out + char(size) + bytes;
  }
  /// What client-go sends: runtime.Unknown around the message.
  Reply post_protobuf(const std::string& target, const std::string& group,
                      const std::string& version, const std::string& kind,
                      const std::string& yaml) {
    Result<model::Parsed> parsed = model::parse_yaml(names_.fill(yaml));
    Result<std::string> raw = model::encode_protobuf(
        parsed->value, *model::Kinds::builtin().find({group, version, kind})->shape);
    const std::string api_version = group.empty() ? version : group + "/" + version;
    return send({.method = "POST",
                 .target = target,
                 .body = std::string("k8s\0", 4) +
                         message(1, message(1, api_version) + message(2, kind)) + message(2, *raw) +
                         message(3, "") + message(4, ""),
                 .type = "application/vnd.kubernetes.protobuf"});
  }
};

TEST_F(Views, VersionIsOurs) {
  const Reply version = get("/version");
  EXPECT_EQ(version.at("major"), "1");
  EXPECT_EQ(version.at("minor"), "34");
  EXPECT_EQ(version.at("gitVersion").substr(0, 7), "v1.34.4");
}

TEST_F(Views, CoreGroup) {
  EXPECT_EQ(get("/api").at("versions"), R"(["v1"])");
  const Reply list = get("/api/v1");
  EXPECT_EQ(list.at("kind"), "APIResourceList");
  EXPECT_EQ(list.at("groupVersion"), "v1");
  EXPECT_NE(
      list.body.find(
          R"({"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap",)"
          R"("verbs":["create","delete","deletecollection","get","list","patch","update","watch"],)"
          R"("shortNames":["cm"])"),
      std::string::npos);
}

TEST_F(Views, OtherGroups) {
  EXPECT_EQ(get("/apis").at("kind"), "APIGroupList");
  const Reply apps = get("/apis/apps");
  EXPECT_EQ(apps.at("preferredVersion"), R"({"groupVersion":"apps/v1","version":"v1"})");
  EXPECT_NE(get("/apis/apps/v1").body.find("\"deployments/scale\""), std::string::npos);
}

TEST_F(Views, AggregatedDiscovery) {
  const std::string type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const Reply found = send({.method = "GET", .target = "/apis", .accept = type});
  EXPECT_EQ(found.header("Content-Type"), type);
  EXPECT_EQ(found.at("kind"), "APIGroupDiscoveryList");
  EXPECT_EQ(found.at("apiVersion"), "apidiscovery.k8s.io/v2");
  EXPECT_NE(found.at("items/0/metadata/name"), "");
}

TEST_F(Views, OpenApiIndex) {
  const Reply index = get("/openapi/v3");
  EXPECT_NE(index.at("paths/api~1v1/serverRelativeURL"), "");
  EXPECT_NE(
      index.at("paths/apis~1apps~1v1/serverRelativeURL").find("/openapi/v3/apis/apps/v1?hash="),
      std::string::npos);
}

TEST_F(Views, TableOfMaps) {
  make_map("a", ", labels: {x: one}");
  const Reply printed = table("$CM?labelSelector=x");
  EXPECT_EQ(printed.at("kind"), "Table");
  EXPECT_EQ(printed.at("apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(printed.at("columnDefinitions/0/name"), "Name");
  EXPECT_EQ(printed.at("columnDefinitions/1/name"), "Data");
  EXPECT_EQ(printed.at("columnDefinitions/2/name"), "Age");
  EXPECT_EQ(printed.at("rows/0/cells/0"), "a");
  EXPECT_EQ(printed.at("rows/0/cells/1"), "1");
  EXPECT_EQ(printed.at("rows/0/object/metadata/name"), "a");
  EXPECT_EQ(printed.at("rows/1"), "");
}

TEST_F(Views, TableOfOneAndWithWholeObjects) {
  make_map("a");
  EXPECT_EQ(table("$CM/a").at("rows/0/cells/0"), "a");
  EXPECT_EQ(table("$CM/a?includeObject=Object").at("rows/0/object/data/k"), "v");
  EXPECT_EQ(table("$CM/a?includeObject=None").at("rows/0/object"), "null");
}

TEST_F(Views, MetadataOnly) {
  make_map("a", ", labels: {x: one}");
  const Reply one =
      send({.method = "GET",
            .target = "$CM/a",
            .accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"});
  EXPECT_EQ(one.at("kind"), "PartialObjectMetadata");
  EXPECT_EQ(one.at("apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(one.at("metadata/labels/x"), "one");
  EXPECT_EQ(one.at("data"), "");
  const Reply list =
      send({.method = "GET",
            .target = "$CM?labelSelector=x",
            .accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"});
  EXPECT_EQ(list.at("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(list.items(), "a");
}

TEST_F(Views, UnknownViewsAreRefused) {
  EXPECT_EQ(send({.method = "GET",
                  .target = "$CM",
                  .accept = "application/json;as=Picture;v=v1;g=meta.k8s.io"})
                .failure(),
            "406 NotAcceptable: only the following media types are accepted: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf");
}

TEST_F(Views, UnknownTypesAreRefused) {
  const std::string all =
      "406 NotAcceptable: 406: Not Acceptable\n\nAvailable representations: application/json, "
      "application/yaml, application/vnd.kubernetes.protobuf";
  const auto refusal = [&](const std::string& target, const std::string& accept) {
    return send({.method = "GET", .target = target, .accept = accept}).failure();
  };
  make_map("a");
  for (const char* accept : {"text/html", "application/*", "APPLICATION/JSON", "a/b;q=1, c/d"})
    EXPECT_EQ(refusal("$CM/a", accept), all);
  EXPECT_EQ(refusal("$CM", "text/html"), all +
                                             ", application/json;stream=watch, "
                                             "application/vnd.kubernetes.protobuf;stream=watch");
  EXPECT_EQ(refusal("/api", "text/html"), all);
  EXPECT_EQ(refusal("/api/v1", "text/html"), all);
  EXPECT_EQ(refusal("/apis/apps/v1", "text/html"), all);
  EXPECT_EQ(refusal("/version", "text/html"),
            "406 NotAcceptable: 406: Not Acceptable\n\nAvailable representations: "
            "application/json");
  EXPECT_EQ(refusal("/apis/apps", "text/html"),
            "406 NotAcceptable: only the following media types are accepted: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf");
  EXPECT_EQ(refusal("/apis", "text/html"), refusal("/apis/apps", "text/html"));
  EXPECT_EQ(refusal("$CM/a", "text/html, */*"), "200");
  EXPECT_EQ(send({.method = "DELETE", .target = "$CM/a", .accept = "text/html"}).failure(), all);
  EXPECT_EQ(get("$CM/a").code, 200);
}

TEST_F(Views, ProtobufBodiesOfMaps) {
  const Reply made = post_protobuf("$CM", "", "v1", "ConfigMap",
                                   "{metadata: {name: a, labels: {x: one}}, data: {k: v}}");
  EXPECT_EQ(made.code, 201) << made.body;
  EXPECT_EQ(made.at("metadata/labels/x"), "one");
  EXPECT_EQ(made.at("data/k"), "v");
}

TEST_F(Views, ProtobufBodiesOfDeployments) {
  const Reply made =
      post_protobuf("/apis/apps/v1/namespaces/$NS/deployments", "apps", "v1", "Deployment",
                    "{metadata: {name: d}, spec: {replicas: 3, selector: {matchLabels: {app: d}}, "
                    "template: {metadata: "
                    "{labels: {app: d}}, spec: {containers: [{name: c, image: i, resources: "
                    "{limits: {cpu: 500m}}, "
                    "ports: [{containerPort: 80}]}]}}}}");
  EXPECT_EQ(made.code, 201) << made.body;
  EXPECT_EQ(made.at("spec/replicas"), "3");
  EXPECT_EQ(made.at("spec/template/spec/containers/0/resources/limits/cpu"), "500m");
  EXPECT_EQ(made.at("spec/template/spec/containers/0/ports/0/protocol"), "TCP");
}

TEST_F(Views, ProtobufBodiesOfReviews) {
  const Reply made =
      post_protobuf("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                    "authorization.k8s.io", "v1", "SelfSubjectAccessReview",
                    "{spec: {resourceAttributes: {verb: get, resource: pods, namespace: $NS}}}");
  EXPECT_EQ(made.code, 201) << made.body;
  EXPECT_EQ(made.at("status/allowed"), "true");
}

TEST_F(Views, GenerationOfDeployments) {
  const std::string target = "/apis/apps/v1/namespaces/$NS/deployments";
  const Reply made =
      post(target,
           "{metadata: {name: d}, spec: {selector: {matchLabels: {app: d}}, template: "
           "{metadata: {labels: {app: d}}, spec: {containers: [{name: c, image: i}]}}}, status: "
           "{replicas: 3}}");
  EXPECT_EQ(made.at("metadata/generation"), "1");
  EXPECT_EQ(made.at("status"), "{}");
  EXPECT_EQ(made.at("spec/replicas"), "1");
  EXPECT_EQ(
      made.at("spec/strategy"),
      R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}})");
  EXPECT_EQ(merge(target + "/d", "{metadata: {labels: {x: one}}}").at("metadata/generation"), "1");
  EXPECT_EQ(merge(target + "/d", "{spec: {replicas: 2}}").at("metadata/generation"), "2");
  EXPECT_EQ(merge(target + "/d/status", "{status: {replicas: 2}}").at("metadata/generation"), "2");
  EXPECT_EQ(merge(target + "/d", "{spec: {selector: {matchLabels: {app: e}}}}").code, 422);
}

TEST_F(Views, EventsAreFoundByTheirObject) {
  const std::string target = "/api/v1/namespaces/$NS/events";
  const Reply made =
      post(target,
           "{metadata: {name: e}, involvedObject: {kind: Pod, name: p, namespace: $NS}, "
           "reason: Tested, message: hello, type: Normal}");
  EXPECT_EQ(made.code, 201) << made.body;
  EXPECT_EQ(
      get(target + "?fieldSelector=involvedObject.name%3Dp,involvedObject.kind%3DPod").items(),
      "e");
  EXPECT_EQ(get(target + "?fieldSelector=reason%3DOther").items(), "");
  EXPECT_EQ(get("/apis/events.k8s.io/v1/namespaces/$NS/events/e").at("regarding/name"), "p");
}

TEST_F(Views, GzipOnRequest) {
  const Reply list = send({.method = "GET",
                           .target = "/api/v1/namespaces/kube-system/configmaps?limit=1",
                           .headers = {{"Accept-Encoding", "gzip"}}});
  EXPECT_EQ(list.at("kind"), "ConfigMapList");
}

}  // namespace
}  // namespace holdfast::suite
