/// Requests that no client should send: each gets the answer of the real server, and the next one
/// is served.
#include "suite.h"

namespace holdfast::suite {
namespace {

class BadInput : public Case {
 protected:
  Reply raw(const std::string& body, const std::string& type = "application/json",
            const std::string& target = "$CM") {
    return send({.method = "POST", .target = target, .body = body, .type = type});
  }
  void TearDown() override {
    EXPECT_EQ(get("/api/v1/namespaces/$NS").code, 200);
    Case::TearDown();
  }
};

TEST_F(BadInput, Truncated) {
  EXPECT_EQ(raw(R"({"metadata":{"name":"a"})").failure(),
            "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): "
            "couldn't get "
            "version/kind; json parse error: unexpected end of JSON input "
            "({\"metadata\":{\"name\":\"a\"})");
}

TEST_F(BadInput, NotJsonAtAll) {
  EXPECT_EQ(raw("hello").failure(),
            "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): "
            "couldn't get "
            "version/kind; json parse error: invalid character 'h' looking for beginning of value "
            "(68656c6c6f)");
}

TEST_F(BadInput, TextAfterTheObject) {
  EXPECT_EQ(raw(R"({"metadata":{"name":"a"}} trailing)").failure(),
            "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): "
            "couldn't get "
            "version/kind; json parse error: invalid character 't' after top-level value "
            "({\"metadata\":{\"name\":\"a\"}} trai ...)");
}

TEST_F(BadInput, Empty) {
  EXPECT_EQ(send({.method = "POST", .target = "$CM", .body = " "}).failure(),
            "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): "
            "couldn't get "
            "version/kind; json parse error: unexpected end of JSON input (20)");
}

TEST_F(BadInput, AListInsteadOfAnObject) {
  EXPECT_EQ(raw("[]").failure(),
            "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): "
            "couldn't get "
            "version/kind; json parse error: json: cannot unmarshal array into Go value of type "
            "struct { APIVersion "
            "string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
            "\"json:\\\"kind,omitempty\\\"\" } (5b5d)");
}

TEST_F(BadInput, DeeplyNested) {
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "[";
  const Reply refused = raw(R"({"metadata":{"name":"a"},"data":)" + deep);
  EXPECT_EQ(refused.failure(),
            "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): "
            "couldn't get "
            "version/kind; json parse error: invalid character '[' exceeded max depth "
            "({\"metadata\":{\"name\":\"a\"},\"data ...)");
}

TEST_F(BadInput, TooLarge) {
  const std::string big(size_t(3) << 20, 'x');
  const Reply refused = raw(R"({"metadata":{"name":"a"},"data":{"k":")" + big + R"("}})");
  EXPECT_EQ(refused.failure(),
            "413 RequestEntityTooLarge: Request entity too large: limit is 3145728");
}

TEST_F(BadInput, TooLargeForAMap) {
  const std::string big((size_t(1) << 20) + 1, 'x');
  EXPECT_EQ(raw(R"({"metadata":{"name":"a"},"data":{"k":")" + big + R"("}})").causes(),
            "FieldValueTooLong []: Too long: may not be more than 1048576 bytes");
}

TEST_F(BadInput, NotUtf8) {
  const Reply made = raw("{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"\xff\xfe\"}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("data/k"), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_F(BadInput, DuplicateKeysWarn) {
  const Reply made = raw(R"({"metadata":{"name":"a"},"data":{"k":"1","k":"2"}})");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("data/k"), "2");
  EXPECT_EQ(made.header("Warning"), "299 - \"duplicate field \\\"data.k\\\"\"");
}

TEST_F(BadInput, DuplicateKeysAreRefusedWhenStrict) {
  EXPECT_EQ(raw(R"({"metadata":{"name":"a"},"data":{"k":"1","k":"2"}})", "application/json",
                "$CM?fieldValidation=Strict")
                .failure(),
            "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict "
            "decoding error: "
            "duplicate field \"data.k\"");
}

TEST_F(BadInput, UnknownFieldsWarn) {
  const Reply made = raw(R"({"metadata":{"name":"a","bogus":1},"other":2})");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.headers.all("Warning").size(), 2U);
}

TEST_F(BadInput, UnknownValidation) {
  EXPECT_EQ(
      raw(R"({"metadata":{"name":"a"}})", "application/json", "$CM?fieldValidation=Maybe")
          .failure(),
      "422 Invalid: CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: "
      "\"Maybe\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"");
}

TEST_F(BadInput, WrongTypes) {
  EXPECT_EQ(
      raw(R"({"metadata":{"name":"a"},"data":"text"})").failure(),
      "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot "
      "unmarshal string into Go struct field ConfigMap.data of type map[string]string");
  EXPECT_EQ(
      raw(R"({"metadata":{"name":5}})").failure(),
      "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot "
      "unmarshal number into Go struct field ObjectMeta.metadata.name of type string");
  EXPECT_EQ(
      raw(R"({"metadata":"text"})").failure(),
      "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot "
      "unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta");
  EXPECT_EQ(
      raw(R"({"metadata":{"name":"a"},"immutable":"yes"})").failure(),
      "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot "
      "unmarshal string into Go struct field ConfigMap.immutable of type bool");
}

TEST_F(BadInput, WrongNumbers) {
  EXPECT_EQ(raw(R"({"metadata":{"name":"d"},"spec":{"replicas":1.5}})", "application/json",
                "/apis/apps/v1/namespaces/$NS/deployments")
                .failure(),
            "400 BadRequest: Deployment in version \"v1\" cannot be handled as a Deployment: json: "
            "cannot "
            "unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32");
  EXPECT_EQ(raw(R"({"metadata":{"name":"d"},"spec":{"replicas":99999999999}})", "application/json",
                "/apis/apps/v1/namespaces/$NS/deployments")
                .failure(),
            "400 BadRequest: Deployment in version \"v1\" cannot be handled as a Deployment: json: "
            "cannot "
            "unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of "
            "type int32");
}

TEST_F(BadInput, WrongContentType) {
  EXPECT_EQ(
      raw("name=a", "application/x-www-form-urlencoded").failure(),
      "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media "
      "types include: application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

TEST_F(BadInput, WrongKind) {
  EXPECT_EQ(raw(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})").failure(),
            "400 BadRequest: Secret in version \"v1\" cannot be handled as a ConfigMap: converting "
            "(v1.Secret) to (core.ConfigMap): unknown conversion");
  EXPECT_EQ(raw(R"({"apiVersion":"v1","kind":"Nothing","metadata":{"name":"a"}})").failure(),
            "400 BadRequest: Nothing in version \"v1\" cannot be handled as a ConfigMap: no kind "
            "\"Nothing\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:110\"");
  EXPECT_EQ(
      raw(R"({"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"a"}})").failure(),
      "400 BadRequest: ConfigMap in version \"v9\" cannot be handled as a ConfigMap: no kind "
      "\"ConfigMap\" is registered for version \"v9\" in scheme \"pkg/runtime/scheme.go:110\"");
}

TEST_F(BadInput, YamlBodiesAreRead) {
  const Reply made = raw("metadata:\n  name: a\ndata:\n  k: 'v'\n", "application/yaml");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("data/k"), "v");
}

TEST_F(BadInput, BrokenProtobuf) {
  EXPECT_EQ(raw("k8s", "application/vnd.kubernetes.protobuf").failure().substr(0, 3), "400");
  EXPECT_EQ(raw(std::string("k8s\0\xff\xff\xff", 7), "application/vnd.kubernetes.protobuf")
                .failure()
                .substr(0, 3),
            "400");
}

TEST_F(BadInput, UnknownPaths) {
  EXPECT_EQ(get("/apis/none.example/v1/things").failure(), "404 404 page not found\n");
  EXPECT_EQ(get("/api/v1/namespaces/$NS/nothings").failure(),
            "404 NotFound: the server could not find the requested resource");
  EXPECT_EQ(get("/nowhere").code, 404);
}

TEST_F(BadInput, WrongMethods) {
  EXPECT_EQ(
      post("$CM/a", "{}").failure(),
      "405 MethodNotAllowed: the server does not allow this method on the requested resource");
  EXPECT_EQ(
      put("$CM", "{}").failure(),
      "405 MethodNotAllowed: the server does not allow this method on the requested resource");
}

TEST_F(BadInput, NamesOutsideTheNamespace) {
  EXPECT_EQ(get("$CM/..%2f..%2fx").code, 404);
  EXPECT_EQ(post("$CM", "{metadata: {name: a/b}}").code, 422);
}

}  // namespace
}  // namespace holdfast::suite
