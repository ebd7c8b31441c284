/// Create, read, update and delete of plain objects: what the server sets, keeps and refuses.
#include "suite.h"

namespace holdfast::suite {
namespace {

class Objects : public Case {};

constexpr const char* kMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}";

TEST_F(Objects, CreateAnswersTheStoredObject) {
  const Reply made = post("$CM", kMap);
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("kind"), "ConfigMap");
  EXPECT_EQ(made.at("apiVersion"), "v1");
  EXPECT_EQ(made.at("metadata/namespace"), "$NS");
  EXPECT_EQ(made.at("metadata/uid").size(), 36U);
  EXPECT_NE(made.at("metadata/resourceVersion"), "");
  EXPECT_EQ(made.at("metadata/creationTimestamp").size(), 20U);
  EXPECT_EQ(made.at("metadata/generation"), "");
  EXPECT_EQ(get("$CM/a").at(""), made.at(""));
}

TEST_F(Objects, CreateOverwritesWhatTheServerSets) {
  const Reply made = post("$CM", R"({apiVersion: v1, kind: ConfigMap, metadata: {name: a, uid: mine,
    creationTimestamp: "2001-01-01T00:00:00Z", generation: 7, selfLink: /x,
    deletionTimestamp: "2001-01-01T00:00:00Z", deletionGracePeriodSeconds: 5}})");
  EXPECT_EQ(made.code, 201);
  EXPECT_NE(made.at("metadata/uid"), "mine");
  EXPECT_NE(made.at("metadata/creationTimestamp").substr(0, 4), "2001");
  EXPECT_EQ(made.at("metadata/generation"), "7");
  EXPECT_EQ(made.at("metadata/selfLink"), "");
  EXPECT_EQ(made.at("metadata/deletionTimestamp"), "");
  EXPECT_EQ(made.at("metadata/deletionGracePeriodSeconds"), "");
}

TEST_F(Objects, CreateWithAResourceVersionIsRefused) {
  EXPECT_EQ(post("$CM", "{metadata: {name: a, resourceVersion: '5'}}").failure(),
            "500 : resourceVersion should not be set on objects to be created");
}

TEST_F(Objects, CreateTwiceConflicts) {
  post("$CM", kMap);
  const Reply again = post("$CM", kMap);
  EXPECT_EQ(again.failure(), "409 AlreadyExists: configmaps \"a\" already exists");
  EXPECT_EQ(again.at("details"), R"({"name":"a","kind":"configmaps"})");
}

TEST_F(Objects, GetOfNothingSaysWhat) {
  const Reply none = get("$CM/none");
  EXPECT_EQ(none.failure(), "404 NotFound: configmaps \"none\" not found");
  EXPECT_EQ(none.at("details"), R"({"name":"none","kind":"configmaps"})");
  const Reply grouped = get("/apis/apps/v1/namespaces/$NS/deployments/none");
  EXPECT_EQ(grouped.failure(), "404 NotFound: deployments.apps \"none\" not found");
  EXPECT_EQ(grouped.at("details"), R"({"name":"none","group":"apps","kind":"deployments"})");
}

TEST_F(Objects, CreateNeedsAName) {
  const Reply made = post("$CM", "{data: {}}");
  EXPECT_EQ(made.failure(),
            "422 Invalid: ConfigMap \"\" is invalid: metadata.name: Required value: name or "
            "generateName is required");
  EXPECT_EQ(made.causes(),
            "FieldValueRequired metadata.name: Required value: name or generateName is required");
}

TEST_F(Objects, CreateRefusesABadName) {
  EXPECT_EQ(post("$CM", "{metadata: {name: A_b}}").failure(),
            "422 Invalid: ConfigMap \"A_b\" is invalid: metadata.name: Invalid value: \"A_b\": a "
            "lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
            "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
            "regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  EXPECT_EQ(
      post("/api/v1/namespaces", "{metadata: {name: a.b}}").failure(),
      "422 Invalid: Namespace \"a.b\" is invalid: metadata.name: Invalid value: \"a.b\": must "
      "not contain dots");
}

TEST_F(Objects, CreateRefusesALongName) {
  const std::string name(254, 'x');
  EXPECT_EQ(post("$CM", "{metadata: {name: " + name + "}}").causes(),
            "FieldValueInvalid metadata.name: Invalid value: \"" + name +
                "\": must be no more than 253 characters");
}

TEST_F(Objects, CreateRefusesAnotherNamespace) {
  EXPECT_EQ(post("$CM", "{metadata: {name: a, namespace: default}}").failure(),
            "400 BadRequest: the namespace of the provided object does not match the namespace "
            "sent on the request");
}

TEST_F(Objects, CreateInAMissingNamespace) {
  const Reply made = post("/api/v1/namespaces/nowhere-$NS/configmaps", kMap);
  EXPECT_EQ(made.failure(), "404 NotFound: namespaces \"nowhere-$NS\" not found");
  EXPECT_EQ(made.at("details"), R"({"name":"nowhere-$NS","kind":"namespaces"})");
}

// One at a time: the real server walks labels in an order of chance.
TEST_F(Objects, CreateRefusesBadLabelKeys) {
  const Reply made = post("$CM", "{metadata: {name: a, labels: {'-x': one}}}");
  EXPECT_EQ(made.code, 422);
  EXPECT_EQ(made.causes(),
            "FieldValueInvalid metadata.labels: Invalid value: \"-x\": name part must consist of "
            "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
            "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
}

TEST_F(Objects, CreateRefusesBadLabelValues) {
  const Reply made = post("$CM", "{metadata: {name: a, labels: {ok: 'no no'}}}");
  EXPECT_EQ(made.code, 422);
  EXPECT_EQ(made.causes(),
            "FieldValueInvalid metadata.labels: Invalid value: \"no no\": a valid label must be an "
            "empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
            "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
            "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST_F(Objects, GenerateNameAddsFiveCharacters) {
  const Reply made = post("$CM", "{metadata: {generateName: made-}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("metadata/name").substr(0, 5), "made-");
  EXPECT_EQ(made.at("metadata/name").size(), 10U);
  EXPECT_EQ(made.at("metadata/generateName"), "made-");
}

TEST_F(Objects, GenerateNameCutsTheStem) {
  const Reply made = post("$CM", "{metadata: {generateName: " + std::string(100, 'x') + "}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("metadata/name").substr(0, 58), std::string(58, 'x'));
  EXPECT_EQ(made.at("metadata/name").size(), 63U);
}

TEST_F(Objects, UpdateNeedsTheNameOfItsPath) {
  make_map("a");
  EXPECT_EQ(put("$CM/a", "{metadata: {name: b}}").failure(),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
}

TEST_F(Objects, UpdateOfNothing) {
  EXPECT_EQ(put("$CM/a", kMap).failure(), "404 NotFound: configmaps \"a\" not found");
}

TEST_F(Objects, UpdateWithoutVersionReplaces) {
  const Reply made = make_map("a", ", labels: {x: one}");
  const Reply now = put("$CM/a", "{metadata: {name: a}, data: {z: m}}");
  EXPECT_EQ(now.code, 200);
  EXPECT_EQ(now.at("data"), R"({"z":"m"})");
  EXPECT_EQ(now.at("metadata/labels"), "");
  EXPECT_EQ(now.at("metadata/uid"), made.at("metadata/uid"));
  EXPECT_EQ(now.at("metadata/creationTimestamp"), made.at("metadata/creationTimestamp"));
  EXPECT_NE(now.at("metadata/resourceVersion"), made.at("metadata/resourceVersion"));
}

TEST_F(Objects, UpdateWithAStaleVersionConflicts) {
  const std::string version = make_map("a").at("metadata/resourceVersion");
  merge("$CM/a", "{data: {k: w}}");
  const Reply stale = put("$CM/a", "{metadata: {name: a, resourceVersion: '" + version + "'}}");
  EXPECT_EQ(stale.failure(),
            "409 Conflict: Operation cannot be fulfilled on configmaps \"a\": the object has been "
            "modified; please apply your changes to the latest version and try again");
  EXPECT_EQ(stale.at("details"), R"({"name":"a","kind":"configmaps"})");
}

TEST_F(Objects, UpdateWithAnotherUidConflicts) {
  make_map("a");
  const Reply other = put("$CM/a", "{metadata: {name: a, uid: other}}");
  EXPECT_EQ(other.code, 409);
  EXPECT_EQ(other.at("reason"), "Conflict");
  EXPECT_NE(other.at("message").find("Precondition failed: UID in precondition: other, UID in "
                                     "object meta: "),
            std::string::npos)
      << other.body;
}

TEST_F(Objects, UpdateThatChangesNothingKeepsTheVersion) {
  const std::string version = make_map("a").at("metadata/resourceVersion");
  EXPECT_EQ(put("$CM/a", kMap).at("metadata/resourceVersion"), version);
  EXPECT_EQ(merge("$CM/a", "{data: {k: v}}").at("metadata/resourceVersion"), version);
  EXPECT_EQ(merge("$CM/a", "{}").at("metadata/resourceVersion"), version);
}

TEST_F(Objects, UpdateOfAnImmutableMapIsRefused) {
  post("$CM", "{metadata: {name: a}, immutable: true, data: {k: v}}");
  EXPECT_EQ(merge("$CM/a", "{data: {k: w}}").failure(),
            "422 Invalid: ConfigMap \"a\" is invalid: data: Forbidden: field is immutable when "
            "`immutable` is set");
  EXPECT_EQ(merge("$CM/a", "{immutable: false}").causes(),
            "FieldValueForbidden immutable: Forbidden: field is immutable when `immutable` is set");
  EXPECT_EQ(merge("$CM/a", "{metadata: {labels: {x: one}}}").code, 200);
}

TEST_F(Objects, UpdateOfUnparsableVersion) {
  make_map("a");
  EXPECT_EQ(put("$CM/a", "{metadata: {name: a, resourceVersion: abc}}").failure(),
            "500 : strconv.ParseUint: parsing \"abc\": invalid syntax");
}

TEST_F(Objects, DeleteAnswersSuccess) {
  const std::string uid = make_map("a").at("metadata/uid");
  const Reply gone = del("$CM/a");
  EXPECT_EQ(gone.code, 200);
  EXPECT_EQ(gone.at("kind"), "Status");
  EXPECT_EQ(gone.at("status"), "Success");
  EXPECT_EQ(gone.at("details"), R"({"name":"a","kind":"configmaps","uid":")" + uid + "\"}");
  EXPECT_EQ(del("$CM/a").failure(), "404 NotFound: configmaps \"a\" not found");
}

TEST_F(Objects, SecretsMergeStringData) {
  const Reply made = post("/api/v1/namespaces/$NS/secrets",
                          "{metadata: {name: s}, stringData: {a: hello}, data: {b: d29ybGQ=}}");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("data/a"), "aGVsbG8=");
  EXPECT_EQ(made.at("data/b"), "d29ybGQ=");
  EXPECT_EQ(made.at("stringData"), "");
  EXPECT_EQ(made.at("type"), "Opaque");
}

TEST_F(Objects, SecretTypeIsImmutable) {
  post("/api/v1/namespaces/$NS/secrets", "{metadata: {name: s}}");
  EXPECT_EQ(merge("/api/v1/namespaces/$NS/secrets/s", "{type: other}").failure(),
            "422 Invalid: Secret \"s\" is invalid: type: Invalid value: \"other\": field is "
            "immutable");
}

TEST_F(Objects, MapKeysAreValidated) {
  EXPECT_EQ(post("$CM", "{metadata: {name: a}, data: {'a/b': c}}").failure(),
            "422 Invalid: ConfigMap \"a\" is invalid: data[a/b]: Invalid value: \"a/b\": a valid "
            "config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
            " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
}

}  // namespace
}  // namespace holdfast::suite
