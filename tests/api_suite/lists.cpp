/// Lists: pages, selectors and the rules of resourceVersion.
#include <holdfast/base/bytes.h>

#include "suite.h"

namespace holdfast::suite {
namespace {

class Lists : public Case {
 protected:
  void SetUp() override {
    Case::SetUp();
    for (const char* name : {"a", "b", "c", "d", "e"})
      version_ = make_map(name, ", labels: {page: x, name: " + std::string(name) + "}")
                     .at("metadata/resourceVersion");
  }
  std::string version_;
};

TEST_F(Lists, ShapeOfAList) {
  const Reply list = get("$CM?labelSelector=page");
  EXPECT_EQ(list.at("kind"), "ConfigMapList");
  EXPECT_EQ(list.at("apiVersion"), "v1");
  EXPECT_NE(list.at("metadata/resourceVersion"), "");
  EXPECT_EQ(list.items(), "a b c d e");
  EXPECT_EQ(list.at("items/0/kind"), "");
  EXPECT_EQ(list.at("items/0/apiVersion"), "");
}

TEST_F(Lists, EmptyListHasItems) {
  EXPECT_EQ(get("/api/v1/namespaces/$NS/secrets").at("items"), "[]");
  EXPECT_EQ(get("/api/v1/namespaces/nowhere-$NS/secrets").at("items"), "[]");
}

TEST_F(Lists, PagesFollowEachOther) {
  const Reply first = get("$CM?limit=2");
  EXPECT_EQ(first.items(), "a b");
  EXPECT_NE(first.at("metadata/continue"), "");
  const Reply second = get("$CM?limit=2&continue=" + first.at("metadata/continue"));
  EXPECT_EQ(second.items(), "c d");
  EXPECT_EQ(second.at("metadata/resourceVersion"), first.at("metadata/resourceVersion"));
}

TEST_F(Lists, LastPageHasNoToken) {
  const Reply first = get("$CM?limit=4&labelSelector=page");
  EXPECT_EQ(first.items(), "a b c d");
  const Reply last =
      get("$CM?limit=4&labelSelector=page&continue=" + first.at("metadata/continue"));
  EXPECT_EQ(last.items(), "e");
  EXPECT_EQ(last.at("metadata/continue"), "");
  EXPECT_EQ(last.at("metadata/remainingItemCount"), "");
}

TEST_F(Lists, RemainingItemsAreCountedWithoutSelector) {
  await("$CM",
        [](const Reply& list) { return list.items().find("kube-root") != std::string::npos; });
  EXPECT_EQ(get("$CM?limit=2").at("metadata/remainingItemCount"), "4");
  EXPECT_EQ(get("$CM?limit=2&labelSelector=page").at("metadata/remainingItemCount"), "");
}

TEST_F(Lists, PagesAreOfOneMoment) {
  const Reply first = get("$CM?limit=2&labelSelector=page");
  del("$CM/d");
  make_map("cc", ", labels: {page: x}");
  const Reply rest = get("$CM?labelSelector=page&continue=" + first.at("metadata/continue"));
  EXPECT_EQ(rest.items(), "c d e");
  EXPECT_EQ(rest.at("metadata/resourceVersion"), first.at("metadata/resourceVersion"));
}

TEST_F(Lists, ContinueTokenSaysWhereToGoOn) {
  const Reply first = get("$CM?limit=1");
  const std::string token = from_base64url(first.at("metadata/continue")).value_or("not base64url");
  Result<model::Parsed> parsed = model::parse_json(token);
  ASSERT_TRUE(bool(parsed)) << token;
  EXPECT_EQ(value_at(parsed->value, "v"), "meta.k8s.io/v1");
  EXPECT_EQ(value_at(parsed->value, "rv"), first.at("metadata/resourceVersion"));
  // With or without a leading slash, depending on which part of the real server answered.
  const std::string start = value_at(parsed->value, "start");
  EXPECT_EQ(start.substr(start.front() == '/' ? 1 : 0), std::string("a\0", 2));
}

TEST_F(Lists, ForgedTokens) {
  EXPECT_EQ(get("$CM?continue=%21%21").failure(),
            "400 BadRequest: invalid continue token: continue key is not valid: illegal base64 "
            "data at input byte 0");
  EXPECT_EQ(get("$CM?continue=" + base64url("nonsense")).failure(),
            "400 BadRequest: invalid continue token: continue key is not valid: invalid character "
            "'o' in literal null "
            "(expecting 'u')");
  EXPECT_EQ(get("$CM?continue=" + base64url(R"({"v":"v9","rv":1,"start":"a"})")).failure(),
            "400 BadRequest: invalid continue token: continue key is not valid: server does not "
            "recognize this encoded "
            "version v9");
  EXPECT_EQ(
      get("$CM?continue=" + base64url(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a"})")).failure(),
      "400 BadRequest: invalid continue token: continue key is not valid: incorrect encoded start "
      "resourceVersion (version "
      "meta.k8s.io/v1)");
  EXPECT_EQ(
      get("$CM?continue=" + base64url(R"({"v":"meta.k8s.io/v1","rv":5,"start":""})")).failure(),
      "400 BadRequest: invalid continue token: continue key is not valid: encoded start key empty "
      "(version "
      "meta.k8s.io/v1)");
}

TEST_F(Lists, TokensCannotLeaveTheirNamespace) {
  const std::string token =
      base64url(R"({"v":"meta.k8s.io/v1","rv":)" + version_ + R"(,"start":"../default/a"})");
  EXPECT_EQ(get("$CM?continue=" + token).failure(),
            "400 BadRequest: invalid continue token: continue key is not valid: ../default/a");
}

TEST_F(Lists, TokensMustNameCleanKeys) {
  for (const char* start : {"a//b", "a/", "./a", "//a", "a/.."}) {
    const std::string token =
        base64url(R"({"v":"meta.k8s.io/v1","rv":)" + version_ + R"(,"start":")" + start + R"("})");
    EXPECT_EQ(
        get("$CM?continue=" + token).failure(),
        std::string("400 BadRequest: invalid continue token: continue key is not valid: ") + start);
  }
  const std::string token =
      base64url(R"({"v":"meta.k8s.io/v1","rv":)" + version_ + R"(,"start":"d..x"})");
  EXPECT_EQ(get("$CM?labelSelector=page&continue=" + token).items(), "e");
}

TEST_F(Lists, TokensOfTheFuture) {
  const Reply list =
      get("$CM?continue=" + base64url(R"({"v":"meta.k8s.io/v1","rv":99999999999,"start":"a"})"));
  EXPECT_EQ(list.code, 504);
  EXPECT_EQ(list.causes(), "ResourceVersionTooLarge : Too large resource version");
}

TEST_F(Lists, TokenWithAVersionIsRefused) {
  const std::string token = get("$CM?limit=1").at("metadata/continue");
  EXPECT_EQ(get("$CM?resourceVersion=" + version_ + "&continue=" + token).failure(),
            "400 BadRequest: specifying resource version is not allowed when using continue");
}

TEST_F(Lists, LimitMustBeANumber) {
  EXPECT_EQ(get("$CM?limit=x").failure(),
            "400 BadRequest: strconv.ParseInt: parsing \"x\": invalid syntax");
}

TEST_F(Lists, MatchNeedsAVersion) {
  EXPECT_EQ(
      get("$CM?resourceVersionMatch=Exact").failure(),
      "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
      "resourceVersionMatch is forbidden unless resourceVersion is provided");
}

TEST_F(Lists, MatchMustBeKnown) {
  EXPECT_EQ(get("$CM?resourceVersion=1&resourceVersionMatch=Near").failure(),
            "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: "
            "Unsupported value: \"Near\": supported values: \"Exact\", \"NotOlderThan\", \"\"");
}

TEST_F(Lists, MatchIsForbiddenWithContinue) {
  const std::string token = get("$CM?limit=1").at("metadata/continue");
  EXPECT_EQ(
      get("$CM?resourceVersion=1&resourceVersionMatch=Exact&continue=" + token).failure(),
      "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
      "resourceVersionMatch is forbidden when continue is provided");
}

TEST_F(Lists, ExactZeroIsForbidden) {
  EXPECT_EQ(
      get("$CM?resourceVersion=0&resourceVersionMatch=Exact").failure(),
      "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
      "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
}

TEST_F(Lists, SendInitialEventsIsForWatches) {
  EXPECT_EQ(get("$CM?sendInitialEvents=true").failure(),
            "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: "
            "sendInitialEvents is forbidden for list");
}

TEST_F(Lists, ExactShowsThatMoment) {
  merge("$CM/a", "{data: {k: later}}");
  del("$CM/b");
  const Reply then =
      get("$CM?resourceVersionMatch=Exact&labelSelector=page&resourceVersion=" + version_);
  EXPECT_EQ(then.items(), "a b c d e");
  EXPECT_EQ(then.at("items/0/data/k"), "v");
  EXPECT_EQ(then.at("metadata/resourceVersion"), version_);
}

TEST_F(Lists, VersionWithALimitIsExact) {
  merge("$CM/a", "{data: {k: later}}");
  const Reply then = get("$CM?limit=2&labelSelector=page&resourceVersion=" + version_);
  EXPECT_EQ(then.items(), "a b");
  EXPECT_EQ(then.at("items/0/data/k"), "v");
  EXPECT_EQ(then.at("metadata/resourceVersion"), version_);
}

TEST_F(Lists, NotOlderThanShowsNow) {
  const std::string now = merge("$CM/a", "{data: {k: later}}").at("metadata/resourceVersion");
  const Reply list =
      get("$CM?resourceVersionMatch=NotOlderThan&labelSelector=page&resourceVersion=" + now);
  EXPECT_EQ(list.at("items/0/data/k"), "later");
}

TEST_F(Lists, AnyVersionIsAllowedWithZero) {
  const Reply list = await("$CM?resourceVersion=0&labelSelector=page",
                           [](const Reply& reply) { return reply.items() == "a b c d e"; });
  EXPECT_EQ(list.items(), "a b c d e");
}

TEST_F(Lists, VersionMustBeANumber) {
  EXPECT_EQ(get("$CM?resourceVersion=abc").failure(),
            "400 BadRequest: invalid resource version: resourceVersion: Invalid value: \"abc\": "
            "strconv.ParseUint: parsing "
            "\"abc\": invalid syntax");
}

TEST_F(Lists, FutureVersionTimesOut) {
  const Reply list = get("$CM?resourceVersion=99999999999");
  EXPECT_EQ(list.code, 504);
  EXPECT_EQ(list.at("reason"), "Timeout");
  EXPECT_EQ(list.at("message").substr(0, 57),
            "Timeout: Too large resource version: 99999999999, current");
  EXPECT_EQ(list.at("details/retryAfterSeconds"), "1");
  EXPECT_EQ(list.causes(), "ResourceVersionTooLarge : Too large resource version");
}

TEST_F(Lists, LabelSelectors) {
  EXPECT_EQ(get("$CM?labelSelector=name%3Da").items(), "a");
  EXPECT_EQ(get("$CM?labelSelector=page,name!=a").items(), "b c d e");
  EXPECT_EQ(get("$CM?labelSelector=name%20in%20(a,c)").items(), "a c");
  EXPECT_EQ(get("$CM?labelSelector=page,name%20notin%20(a,c)").items(), "b d e");
  EXPECT_EQ(get("$CM?labelSelector=page,!name").items(), "");
}

TEST_F(Lists, BadLabelSelectors) {
  EXPECT_EQ(get("$CM?labelSelector=a%3D%3D%3Db").failure(),
            "400 BadRequest: unable to parse requirement: found '=', expected: identifier");
  EXPECT_EQ(get("$CM?labelSelector=a%20in%20b").failure(),
            "400 BadRequest: unable to parse requirement: found 'b' expected: '('");
  EXPECT_EQ(get("$CM?labelSelector=,").failure(),
            "400 BadRequest: found ',', expected: !, identifier, or "
            "'end of string'");
}

TEST_F(Lists, FieldSelectors) {
  EXPECT_EQ(get("$CM?fieldSelector=metadata.name%3Db").items(), "b");
  EXPECT_EQ(get("$CM?labelSelector=page&fieldSelector=metadata.name!%3Db").items(), "a c d e");
  EXPECT_EQ(get("$CM?labelSelector=page&fieldSelector=metadata.namespace%3Ddefault").items(), "");
}

TEST_F(Lists, UnknownFieldSelectors) {
  EXPECT_EQ(get("$CM?fieldSelector=data.k%3Dv").failure(),
            "400 BadRequest: \"data.k\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"");
  EXPECT_EQ(get("$CM?fieldSelector=nonsense").failure(),
            "400 BadRequest: invalid selector: 'nonsense'; can't understand 'nonsense'");
}

TEST_F(Lists, AllNamespacesAtOnce) {
  const Reply all =
      get("/api/v1/configmaps?labelSelector=page&fieldSelector=metadata.namespace%3D$NS");
  EXPECT_EQ(all.items(), "a b c d e");
}

TEST_F(Lists, VersionOfAGet) {
  EXPECT_EQ(get("$CM/a?resourceVersion=0").code, 200);
  EXPECT_EQ(get("$CM/a?resourceVersion=99999999999").code, 504);
}

}  // namespace
}  // namespace holdfast::suite
