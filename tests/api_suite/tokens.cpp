/// ServiceAccount tokens: what they are bound to, what they say, and when they stop to work.
///
/// The real server remembers for ten seconds that a token was good, so what died is shown with a
/// token that nobody has used before.
#include <holdfast/base/bytes.h>

#include "suite.h"

#include <fmt/format.h>

namespace holdfast::suite {
namespace {

constexpr const char* kAccounts = "/api/v1/namespaces/$NS/serviceaccounts";
constexpr const char* kRobotToken = "/api/v1/namespaces/$NS/serviceaccounts/robot/token";
constexpr const char* kSecrets = "/api/v1/namespaces/$NS/secrets";
constexpr const char* kReviews = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr const char* kSelf = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
constexpr const char* kInvalidated =
    "[invalid bearer token, service account token has been invalidated]";
constexpr const char* kExtra = "status/user/extra/authentication.kubernetes.io~1";

class Tokens : public Case {
 protected:
  void SetUp() override {
    Case::SetUp();
    account_ = make_account();
  }
  void TearDown() override {
    del("/api/v1/nodes/$NS");
    Case::TearDown();
  }
  std::string make_account() { return made(kAccounts, "{metadata: {name: robot}}"); }
  std::string make_secret() { return made(kSecrets, "{metadata: {name: s}}"); }
  std::string make_node() { return made("/api/v1/nodes", "{metadata: {name: $NS}}"); }
  std::string make_pod(const std::string& spec = "") {
    return made("$POD",
                "{metadata: {name: p}, spec: {serviceAccountName: robot, containers: "
                "[{name: c, image: i}]" +
                    spec + "}}");
  }
  /// The new object's uid.
  std::string made(const std::string& target, const std::string& yaml) {
    const Reply reply = post(target, yaml);
    EXPECT_EQ(reply.code, 201) << reply.body;
    return reply.at("metadata/uid");
  }
  Reply ask(const std::string& spec) { return post(kRobotToken, "{spec: {" + spec + "}}"); }
  std::string token(const std::string& spec = "") {
    const Reply reply = ask(spec);
    EXPECT_EQ(reply.code, 201) << reply.body;
    return reply.at("status/token");
  }
  static std::string bound(const std::string& kind, const std::string& name,
                           const std::string& more = "") {
    return fmt::format("boundObjectRef: {{apiVersion: v1, kind: {}, name: {}{}}}", kind, name,
                       more);
  }
  static model::Value claims(const std::string& token) {
    const size_t first = token.find('.') + 1;
    const auto text = from_base64url(token.substr(first, token.find('.', first) - first));
    Result<model::Parsed> parsed = model::parse_json(text.value_or(""));
    return parsed ? parsed->value : model::Value();
  }
  Reply review(const std::string& token, const std::string& audiences = "") {
    return post(kReviews, "{spec: {token: '" + token + "', audiences: [" + audiences + "]}}");
  }
  /// Why a token is no longer good; waits for the real server's caches.
  std::string refusal(const std::string& token) {
    Reply last;
    await("/version", [&](const Reply&) {
      last = review(token);
      return last.at("status/authenticated").empty();
    });
    EXPECT_EQ(last.at("status/user"), "{}");
    EXPECT_EQ(as(token, "GET", "/api").failure(), "401 Unauthorized: Unauthorized");
    return last.at("status/error");
  }

  std::string account_;
};

TEST_F(Tokens, Authenticate) {
  const Reply who = as(token(), "POST", kSelf, "{}");
  EXPECT_EQ(who.at("status/userInfo/username"), "system:serviceaccount:$NS:robot");
  EXPECT_EQ(who.at("status/userInfo/uid"), account_);
  EXPECT_EQ(who.at("status/userInfo/groups"),
            R"(["system:serviceaccounts","system:serviceaccounts:$NS","system:authenticated"])");
}

TEST_F(Tokens, RequestIsAnsweredInItself) {
  const Reply made = ask("audiences: [there], expirationSeconds: 3600");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.at("kind"), "TokenRequest");
  EXPECT_EQ(made.at("apiVersion"), "authentication.k8s.io/v1");
  EXPECT_EQ(made.at("metadata/name"), "robot");
  EXPECT_EQ(made.at("metadata/namespace"), "$NS");
  EXPECT_EQ(made.at("metadata/uid"), account_);
  EXPECT_EQ(made.at("spec/audiences"), R"(["there"])");
  EXPECT_NE(made.at("status/expirationTimestamp"), "");
  EXPECT_EQ(ask("").at("spec/expirationSeconds"), "3600");
  EXPECT_EQ(post("/api/v1/namespaces/$NS/serviceaccounts/none/token", "{spec: {}}").failure(),
            "404 NotFound: serviceaccounts \"none\" not found");
}

TEST_F(Tokens, RequestMustNameItsAccount) {
  EXPECT_EQ(post(kRobotToken, "{metadata: {name: other}, spec: {}}").failure(),
            "422 Invalid: TokenRequest.authentication.k8s.io \"robot\" is invalid: metadata.name: "
            "Invalid value: \"other\": must match the service account name if specified");
  EXPECT_EQ(post(kRobotToken, "{metadata: {namespace: default}, spec: {}}").failure(),
            "400 BadRequest: the namespace of the provided object does not match the namespace "
            "sent on the request");
  EXPECT_EQ(post(kRobotToken, "{metadata: {uid: x}, spec: {}}").failure(),
            "409 Conflict: Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "
            "\"robot\": the UID in the token request (x) does not match the UID of the service "
            "account (" +
                account_ + ")");
}

TEST_F(Tokens, LifetimeIsBounded) {
  const std::string head =
      "422 Invalid: TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: "
      "Invalid value: ";
  EXPECT_EQ(ask("expirationSeconds: 599").failure(),
            head + "599: may not specify a duration less than 10 minutes");
  EXPECT_EQ(ask("expirationSeconds: 0").failure(),
            head + "0: may not specify a duration less than 10 minutes");
  EXPECT_EQ(ask("expirationSeconds: 4294967297").failure(),
            head + "4294967297: may not specify a duration larger than 2^32 seconds");
  const model::Value least = claims(token("expirationSeconds: 600"));
  EXPECT_EQ(model::int_at(least, {"exp"}, 0) - model::int_at(least, {"iat"}, 0), 600);
}

TEST_F(Tokens, AudiencesMustMeet) {
  const std::string two = token("audiences: [there, here]");
  EXPECT_EQ(as(two, "GET", "/api").failure(), "401 Unauthorized: Unauthorized");
  EXPECT_EQ(review(two, "there").at("status/audiences"), R"(["there"])");
  EXPECT_EQ(review(two, "other, here").at("status/audiences"), R"(["here"])");
  EXPECT_EQ(review(two, "other").at("status"),
            R"({"user":{},"error":"[invalid bearer token, token audiences [\"there\" \"here\"] is )"
            R"(invalid for the target audiences [\"other\"]]"})");
}

TEST_F(Tokens, StaticTokensAreForTheServerAlone) {
  EXPECT_EQ(review("alice-token").at("status/user/username"), "alice");
  EXPECT_EQ(review("alice-token").at("status/audiences"), review(token()).at("status/audiences"));
  EXPECT_EQ(review("alice-token", "other").at("status"),
            R"({"user":{},"error":"invalid bearer token"})");
  EXPECT_EQ(review("wrong").at("status"), R"({"user":{},"error":"invalid bearer token"})");
  EXPECT_EQ(review("").failure(),
            "400 BadRequest: token is required for TokenReview in authentication");
}

TEST_F(Tokens, PodBoundTokenTellsOfItsPod) {
  const std::string uid = make_pod();
  const Reply good = review(token(bound("Pod", "p")));
  EXPECT_EQ(good.at("status/authenticated"), "true");
  EXPECT_EQ(good.at(std::string(kExtra) + "pod-name"), R"(["p"])");
  EXPECT_EQ(good.at(std::string(kExtra) + "pod-uid"), "[\"" + uid + "\"]");
  EXPECT_EQ(good.at(std::string(kExtra) + "credential-id").substr(0, 6), "[\"JTI=");
  EXPECT_EQ(good.at(std::string(kExtra) + "node-name"), "");
}

TEST_F(Tokens, PodBoundTokenTellsOfItsNode) {
  make_pod(", nodeName: $NS");
  const Reply without = review(token(bound("Pod", "p")));
  EXPECT_EQ(without.at(std::string(kExtra) + "node-name"), R"(["$NS"])");
  EXPECT_EQ(without.at(std::string(kExtra) + "node-uid"), "");
  const std::string uid = make_node();
  const std::string held = token(bound("Pod", "p"));
  EXPECT_EQ(review(held).at(std::string(kExtra) + "node-uid"), "[\"" + uid + "\"]");
}

TEST_F(Tokens, PodBoundTokenOutlivesWhatItSays) {
  make_pod();
  const Reply made = ask("expirationSeconds: 3607, " + bound("Pod", "p"));
  EXPECT_EQ(made.at("spec/expirationSeconds"), "3607");
  const model::Value said = claims(made.at("status/token"));
  const int64_t begin = model::int_at(said, {"iat"}, 0);
  EXPECT_EQ(model::int_at(said, {"exp"}, 0) - begin, 365 * 24 * 60 * 60);
  EXPECT_EQ(model::int_at(said, {"kubernetes.io", "warnafter"}, 0) - begin, 3607);
  const model::Value other =
      claims(token("expirationSeconds: 3607, audiences: [there], " + bound("Pod", "p")));
  EXPECT_EQ(model::int_at(other, {"exp"}, 0) - model::int_at(other, {"iat"}, 0), 3607);
}

TEST_F(Tokens, PodBoundTokenDiesWithItsPod) {
  const std::string old = make_pod();
  const std::string first = token(bound("Pod", "p")), second = token(bound("Pod", "p"));
  EXPECT_EQ(as(token(bound("Pod", "p")), "GET", "/api").code, 200);
  del("$POD/p?gracePeriodSeconds=0");
  EXPECT_EQ(refusal(first), kInvalidated);
  const std::string uid = make_pod();
  EXPECT_EQ(refusal(second),
            fmt::format("[invalid bearer token, pod UID ({}) does not match service account pod "
                        "ref claim ({})]",
                        uid, old));
}

TEST_F(Tokens, UsedTokenDiesToo) {
  make_pod();
  const std::string used = token(bound("Pod", "p"));
  EXPECT_EQ(as(used, "GET", "/api").code, 200);
  del("$POD/p?gracePeriodSeconds=0");
  EXPECT_EQ(refusal(used), kInvalidated);
}

TEST_F(Tokens, SecretBoundTokenDiesWithItsSecret) {
  const std::string old = make_secret();
  const std::string first = token(bound("Secret", "s")), second = token(bound("Secret", "s"));
  EXPECT_EQ(value_at(claims(first), "kubernetes.io/secret/uid"), old);
  EXPECT_EQ(as(token(bound("Secret", "s")), "GET", "/api").code, 200);
  del(std::string(kSecrets) + "/s");
  EXPECT_EQ(refusal(first), kInvalidated);
  const std::string uid = make_secret();
  EXPECT_EQ(refusal(second),
            fmt::format("[invalid bearer token, secret UID ({}) does not match service account "
                        "secret ref claim ({})]",
                        uid, old));
}

TEST_F(Tokens, NodeBoundTokenDiesWithItsNode) {
  const std::string old = make_node();
  const std::string first = token(bound("Node", "$NS")), second = token(bound("Node", "$NS"));
  const Reply good = review(token(bound("Node", "$NS")));
  EXPECT_EQ(good.at(std::string(kExtra) + "node-uid"), "[\"" + old + "\"]");
  del("/api/v1/nodes/$NS");
  EXPECT_EQ(refusal(first), kInvalidated);
  const std::string uid = make_node();
  EXPECT_EQ(refusal(second),
            fmt::format("[invalid bearer token, node UID ({}) does not match service account node "
                        "ref claim ({})]",
                        uid, old));
}

TEST_F(Tokens, DieWithTheAccount) {
  const std::string first = token(), second = token();
  EXPECT_EQ(as(token(), "GET", "/api").code, 200);
  del(std::string(kAccounts) + "/robot");
  EXPECT_EQ(refusal(first), "[invalid bearer token, serviceaccounts \"robot\" not found]");
  const std::string uid = make_account();
  EXPECT_EQ(
      refusal(second),
      fmt::format("[invalid bearer token, service account UID ({}) does not match claim ({})]", uid,
                  account_));
}

TEST_F(Tokens, BoundObjectMustBeThere) {
  make_pod();
  EXPECT_EQ(ask(bound("Pod", "none")).failure(), "404 NotFound: pods \"none\" not found");
  EXPECT_EQ(ask(bound("Secret", "none")).failure(), "404 NotFound: secrets \"none\" not found");
  const Reply other = ask(bound("Pod", "p", ", uid: x"));
  EXPECT_EQ(other.failure(),
            "409 Conflict: Operation cannot be fulfilled on Pod \"p\": the UID in the bound object "
            "reference (x) does not match the UID in record. The object might have been deleted "
            "and then recreated");
  EXPECT_EQ(other.at("details"), R"({"name":"p","kind":"Pod"})");
}

TEST_F(Tokens, BoundObjectMustBeOfAKnownKind) {
  EXPECT_EQ(ask(bound("ConfigMap", "a")).failure(),
            "400 BadRequest: cannot bind token to object of type /v1, Kind=ConfigMap");
  EXPECT_EQ(ask("boundObjectRef: {apiVersion: apps/v1, kind: Pod, name: p}").failure(),
            "400 BadRequest: cannot bind token to object of type apps/v1, Kind=Pod");
  EXPECT_EQ(ask("boundObjectRef: {}").failure(),
            "400 BadRequest: cannot bind token to object of type /, Kind=");
}

TEST_F(Tokens, PodMustRunAsTheAccount) {
  await_account();
  make_pod();
  EXPECT_EQ(post(std::string(kAccounts) + "/default/token", "{spec: {" + bound("Pod", "p") + "}}")
                .failure(),
            "400 BadRequest: cannot bind token for serviceaccount \"default\" to pod running with "
            "different serviceaccount name.");
}

}  // namespace
}  // namespace holdfast::suite
