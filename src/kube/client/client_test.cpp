#include <holdfast/kube/client.h>
#include <holdfast/kube/typed.h>

#include "scripted_transport.h"

#include <gtest/gtest.h>

namespace holdfast::kube {
namespace {

using model::Value;
using std::chrono::milliseconds;
using std::chrono::seconds;

Value json(std::string_view text) { return model::parse_json(text).take().value; }

struct KubeClient : testing::Test {
  ManualClock clock{WallTime(seconds(1'700'000'000))};
  SeededRandom random{1};
  ScriptedTransport transport;
  std::vector<milliseconds> pauses;
  Client client{transport, clock, random,
                [this](milliseconds pause, const std::stop_token&) { pauses.push_back(pause); }};

  const net::Call& sent(size_t index = 0) const { return transport.calls().at(index); }
};

TEST_F(KubeClient, PathsNameGroupNamespaceNameAndSubresource) {
  EXPECT_EQ(kPods.path("shop", "web"), "/api/v1/namespaces/shop/pods/web");
  EXPECT_EQ(kPods.path("", ""), "/api/v1/pods");
  EXPECT_EQ(kNodes.path("ignored", "n1", "status"), "/api/v1/nodes/n1/status");
  EXPECT_EQ(kDeployments.path("shop", "a/b", "scale"),
            "/apis/apps/v1/namespaces/shop/deployments/a%2Fb/scale");
  EXPECT_EQ(kPods.path("shop", "web", "proxy/metrics"),
            "/api/v1/namespaces/shop/pods/web/proxy/metrics");
  EXPECT_EQ(kDeployments.text(), "deployments.apps");
  EXPECT_EQ(kDeployments.api_version(), "apps/v1");
}

TEST_F(KubeClient, WritesCarryManagerValidationDryRunAndTimeLimit) {
  transport.then(201, "{}");

  ASSERT_TRUE(client.create(kConfigMaps, "shop", json(R"({"metadata":{"name":"a"}})"),
                            {.field_validation = "Strict", .dry_run = true}));

  EXPECT_EQ(sent().method, "POST");
  EXPECT_EQ(sent().target,
            "/api/v1/namespaces/shop/configmaps?fieldManager=holdfast&fieldValidation=Strict"
            "&dryRun=All&timeout=30000ms");
  EXPECT_EQ(sent().body, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(sent().headers.get("Content-Type"), "application/json");
  EXPECT_EQ(sent().headers.get("User-Agent"), "holdfast");
  EXPECT_EQ(sent().timeout, milliseconds(30000));
}

TEST_F(KubeClient, PatchTypesAndApplyHaveTheirContentTypes) {
  for (int i = 0; i < 4; ++i) transport.then(200, "{}");
  for (const PatchType type : {PatchType::Json, PatchType::Merge, PatchType::Strategic})
    ASSERT_TRUE(client.patch(kPods, "shop", "web", type, json("{}"), {.subresource = "status"}));
  ASSERT_TRUE(client.apply(kPods, json(R"({"metadata":{"name":"web","namespace":"shop"}})"), true,
                           {.field_manager = "me"}));

  EXPECT_EQ(sent(0).headers.get("Content-Type"), "application/json-patch+json");
  EXPECT_EQ(sent(1).headers.get("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(sent(2).headers.get("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(sent(3).headers.get("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(sent(0).target,
            "/api/v1/namespaces/shop/pods/web/status?fieldManager=holdfast&timeout=30000ms");
  EXPECT_EQ(sent(3).target,
            "/api/v1/namespaces/shop/pods/web?fieldManager=me&force=true&timeout=30000ms");
}

TEST_F(KubeClient, DeleteCarriesItsPreconditionsInTheBody) {
  transport.then(200, "{}");

  ASSERT_TRUE(client.remove(kPods, "shop", "web",
                            {.only = {.uid = "u1", .resource_version = "7"},
                             .propagation = "Foreground",
                             .grace_seconds = 0,
                             .dry_run = true}));

  EXPECT_EQ(sent().method, "DELETE");
  EXPECT_TRUE(model::equal(
      json(sent().body),
      json(R"({"apiVersion":"v1","kind":"DeleteOptions","dryRun":["All"],"gracePeriodSeconds":0,
               "preconditions":{"uid":"u1","resourceVersion":"7"},
               "propagationPolicy":"Foreground"})")));
}

TEST_F(KubeClient, EmptyNameNeverReachesTheCollection) {
  const Reply<Value> removed = client.remove(kPods, "shop", "");
  const Reply<Value> updated = client.update(kPods, json(R"({"metadata":{"name":"a"}})"));

  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().error.what(), "delete pods: no name given");
  EXPECT_EQ(removed.error().error.fault(), Fault::Invalid);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().error.what(), "update pods a: no namespace given");
  EXPECT_TRUE(transport.calls().empty());
}

TEST_F(KubeClient, ImpersonationIsInEveryRequest) {
  transport.then(200, "{}");
  Client tenant = client.as("alice", {"devs", "ops"});

  ASSERT_TRUE(tenant.get(kPods, "shop", "web"));

  EXPECT_EQ(sent().headers.get("Impersonate-User"), "alice");
  EXPECT_EQ(sent().headers.all("Impersonate-Group"),
            (std::vector<std::string_view>{"devs", "ops"}));
  EXPECT_EQ(client.settings().as_user, "");
}

struct CodeCase {
  int code;
  Fault fault;
  bool ambiguous;
};

TEST_F(KubeClient, FaultsFollowTheCode) {
  for (const CodeCase& one : std::initializer_list<CodeCase>{{301, Fault::Invalid, false},
                                                             {400, Fault::Invalid, false},
                                                             {401, Fault::Denied, false},
                                                             {403, Fault::Denied, false},
                                                             {404, Fault::NotFound, false},
                                                             {405, Fault::Invalid, false},
                                                             {408, Fault::Unavailable, false},
                                                             {409, Fault::Conflict, false},
                                                             {410, Fault::Conflict, false},
                                                             {413, Fault::Invalid, false},
                                                             {422, Fault::Invalid, false},
                                                             {500, Fault::Unavailable, true},
                                                             {502, Fault::Unavailable, true},
                                                             {504, Fault::Unavailable, true}}) {
    transport.then(one.code, "<html>\nsorry");
    const Reply<Value> reply = client.update(kNodes, json(R"({"metadata":{"name":"n1"}})"));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, one.code);
    EXPECT_EQ(reply.error().error.fault(), one.fault) << one.code;
    EXPECT_EQ(reply.error().ambiguous, one.ambiguous) << one.code;
    EXPECT_EQ(reply.error().error.what(),
              "PUT /api/v1/nodes/n1: " + std::to_string(one.code) + " \"<html>\"");
  }
}

TEST_F(KubeClient, StatusTellsExistingFromChanged) {
  const auto status = [](std::string_view reason) {
    return R"({"kind":"Status","status":"Failure","code":409,"message":"m","reason":")" +
           std::string(reason) + "\"}";
  };
  transport.then(409, status("AlreadyExists"));
  transport.then(409, status("Conflict"));

  const Reply<Value> first = client.create(kPods, "shop", json("{}"));
  const Reply<Value> second = client.create(kPods, "shop", json("{}"));

  EXPECT_TRUE(first.error().already_exists());
  EXPECT_FALSE(first.error().conflict());
  EXPECT_TRUE(second.error().conflict());
  EXPECT_EQ(second.error().error.what(), "POST /api/v1/namespaces/shop/pods: 409 Conflict: m");
  EXPECT_EQ(model::string_at(second.error().status, {"message"}), "m");
}

TEST_F(KubeClient, BusyServerIsTriedAgainAfterTheTimeItAsksFor) {
  transport.then(429, "{}", "2");
  transport.then(503, R"({"kind":"Status","details":{"retryAfterSeconds":3}})");
  transport.then(503, "{}", "Tue, 14 Nov 2023 22:13:30 GMT");  // in ten seconds
  transport.then(201, "{}");

  ASSERT_TRUE(client.create(kPods, "shop", json("{}")));

  ASSERT_EQ(pauses.size(), 3u);
  EXPECT_GE(pauses[0], seconds(2));
  EXPECT_LT(pauses[0], seconds(3));
  EXPECT_GE(pauses[1], seconds(3));
  EXPECT_GE(pauses[2], seconds(10));
  EXPECT_LT(pauses[2], seconds(12));
}

TEST_F(KubeClient, TriesEnd) {
  for (int i = 0; i < 6; ++i) transport.then(503, "{}");

  const Reply<Value> reply = client.get(kPods, "shop", "web");

  EXPECT_EQ(reply.error().code, 503);
  EXPECT_EQ(transport.calls().size(), 5u);
  ASSERT_EQ(pauses.size(), 4u);
  EXPECT_LT(pauses[0], milliseconds(300));
  EXPECT_GE(pauses[3], milliseconds(800));
}

TEST_F(KubeClient, ServerThatWantsAnHourIsLeftToTheCaller) {
  transport.then(429, "{}", "3600");

  const Reply<Value> reply = client.get(kPods, "shop", "web");

  EXPECT_EQ(reply.error().retry_after, seconds(3600));
  EXPECT_TRUE(pauses.empty());
}

TEST_F(KubeClient, ReadWithoutAnAnswerIsRepeatedAndAWriteIsNot) {
  transport.then_error(Fault::Unavailable, "cut off");
  transport.then(200, "{}");
  transport.then_error(Fault::Unavailable, "cut off");

  EXPECT_TRUE(client.get(kPods, "shop", "web"));
  const Reply<Value> write = client.create(kPods, "shop", json("{}"));

  ASSERT_FALSE(write);
  EXPECT_TRUE(write.error().ambiguous);
  EXPECT_EQ(write.error().code, 0);
  EXPECT_EQ(transport.calls().size(), 3u);
}

TEST_F(KubeClient, RefusedByTlsIsNeitherRepeatedNorAmbiguous) {
  transport.then_error(Fault::Denied, "certificate expired");

  const Reply<Value> reply = client.create(kPods, "shop", json("{}"));

  EXPECT_EQ(reply.error().error.fault(), Fault::Denied);
  EXPECT_FALSE(reply.error().ambiguous);
}

TEST_F(KubeClient, HalfAnObjectNamesRequestAndCause) {
  transport.then(201, R"({"kind":"Pod","metadata":{"na)");

  const Reply<Value> reply = client.create(kPods, "shop", json("{}"));

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.what(),
            "POST /api/v1/namespaces/shop/pods: an answer of 29 bytes with code 201 is no JSON: "
            "unexpected end of JSON input");
  EXPECT_EQ(reply.error().error.fault(), Fault::Unavailable);
  EXPECT_TRUE(reply.error().ambiguous);
}

TEST_F(KubeClient, StopEndsThePausesAndSendsNoMore) {
  std::stop_source stop;
  transport.then([&stop](const net::Call& call) -> Result<net::Response> {
    EXPECT_TRUE(call.stop.stop_possible());
    stop.request_stop();
    return net::Response{.status = 503};
  });
  client.stop_with(stop.get_token());

  EXPECT_EQ(client.get(kPods, "shop", "web").error().code, 503);
  const Reply<Value> later = client.create(kPods, "shop", json("{}"));

  EXPECT_FALSE(later.error().ambiguous);
  EXPECT_EQ(transport.calls().size(), 1u);
  EXPECT_TRUE(pauses.empty());
}

struct KubeList : KubeClient {
  std::string names;
  Reply<std::string> list(ListOptions options = {.limit = 2}) {
    return client.list(kPods, "shop", options, [this](const Value& item) {
      names += model::string_at(item, {"metadata", "name"});
      return names.size() < 6;
    });
  }
  static std::string page(std::string_view names, std::string_view version,
                          std::string_view token) {
    model::Array items;
    for (const char c : names)
      items.push_back(model::Object{{"metadata", model::Object{{"name", std::string(1, c)}}}});
    return model::to_json(model::Object{
        {"kind", "PodList"},
        {"metadata", model::Object{{"resourceVersion", version}, {"continue", token}}},
        {"items", items}});
  }
};

TEST_F(KubeList, GoesPageByPageAndKeepsTheFirstVersion) {
  transport.then(200, page("ab", "10", "t1"));
  transport.then(200, page("c", "10", ""));

  const Reply<std::string> version =
      list({.label_selector = "app in (a,b)", .resource_version = "0", .limit = 2});

  ASSERT_TRUE(version);
  EXPECT_EQ(*version, "10");
  EXPECT_EQ(names, "abc");
  EXPECT_EQ(sent(0).target,
            "/api/v1/namespaces/shop/pods?labelSelector=app%20in%20%28a%2Cb%29&limit=2"
            "&resourceVersion=0");
  EXPECT_EQ(
      sent(1).target,
      "/api/v1/namespaces/shop/pods?labelSelector=app%20in%20%28a%2Cb%29&limit=2&continue=t1");
}

TEST_F(KubeList, ItemsSayTheirKind) {
  transport.then(200, page("a", "10", ""));
  std::string kind;

  ASSERT_TRUE(client.list(kDeployments, "", {}, [&](const Value& item) {
    kind = std::string(model::string_at(item, {"apiVersion"})) + " " +
           std::string(model::string_at(item, {"kind"}));
    return true;
  }));

  EXPECT_EQ(kind, "apps/v1 Deployment");
}

TEST_F(KubeList, ExpiredTokenGoesOnWithTheFreshOne) {
  transport.then(200, page("ab", "10", "t1"));
  transport.then(410, R"({"kind":"Status","reason":"Expired","metadata":{"continue":"t2"}})");
  transport.then(200, page("c", "20", ""));

  ASSERT_TRUE(list());

  EXPECT_EQ(names, "abc");
  EXPECT_NE(sent(2).target.find("continue=t2"), std::string::npos);
}

TEST_F(KubeList, ExpiredWithoutAFreshTokenFails) {
  transport.then(410, R"({"kind":"Status","reason":"Expired"})");

  EXPECT_TRUE(list().error().expired());
}

TEST_F(KubeList, PageThatIsTooLongComesInSmallerOnes) {
  transport.then_error(Fault::Corrupt, "too long");
  transport.then_error(Fault::Corrupt, "too long");
  transport.then(200, page("a", "10", ""));

  ASSERT_TRUE(list({.limit = 500}));

  EXPECT_NE(sent(1).target.find("limit=50"), std::string::npos);
  EXPECT_NE(sent(2).target.find("limit=5"), std::string::npos);
  transport.then_error(Fault::Corrupt, "too long");
  EXPECT_EQ(list({.limit = 1}).error().error.fault(), Fault::Corrupt);
}

TEST_F(KubeList, ListThatNeverEndsIsNoticed) {
  transport.then(200, page("a", "10", "t1"));
  transport.then(200, page("b", "10", "t1"));

  const Reply<std::string> version = list();

  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().error.what(),
            "GET /api/v1/namespaces/shop/pods: the list does not go on and does not end either");
}

TEST_F(KubeList, EmptyPagesWithoutEndAreNoticed) {
  for (int i = 0; i < 200; ++i) transport.then(200, page("", "10", "t" + std::to_string(i)));

  EXPECT_FALSE(list());
  EXPECT_EQ(transport.calls().size(), 101u);
}

TEST_F(KubeList, ReaderMayEndIt) {
  transport.then(200, page("abcdefgh", "10", "t1"));

  ASSERT_TRUE(list());

  EXPECT_EQ(names, "abcdef");
  EXPECT_EQ(transport.calls().size(), 1u);
}

TEST_F(KubeList, WhatIsNoListIsRefused) {
  for (const char* body : {"{}", R"({"items":"x"})", "[]", "3"}) {
    transport.then(200, body);
    EXPECT_EQ(list().error().error.fault(), Fault::Invalid) << body;
  }
  transport.then(200, R"({"items":null,"metadata":{"resourceVersion":"4"}})");
  EXPECT_EQ(*list(), "4");
}

struct Widget {
  static constexpr model::Kind kKind{"toys.example", "v1", "Widget"};
  struct Spec {
    std::string color;
    template <class V>
    void fields(V& v) {
      v.required("color", color, "what it looks like");
    }
  } spec;
  struct Status {
    std::string phase;
    template <class V>
    void fields(V& v) {
      v.optional("phase", phase, "where it stands");
    }
  } status;
};

TEST_F(KubeClient, TypedApplySendsSpecOrStatusAndTheMetadataOfItsOwner) {
  transport.then(200, "{}");
  transport.then(200, "{}");
  Widget widget;
  widget.spec.color = "red";
  widget.status.phase = "New";

  ASSERT_TRUE(
      apply(client, widget, {.ns = "shop", .name = "w", .uid = "u1", .labels = {{"app", "toys"}}}));
  ASSERT_TRUE(apply(client, widget, {.ns = "shop", .name = "w"}, true, {.subresource = "status"}));

  EXPECT_TRUE(sent(0).target.starts_with("/apis/toys.example/v1/namespaces/shop/widgets/w?"));
  EXPECT_TRUE(model::equal(
      json(sent(0).body),
      json(R"({"apiVersion":"toys.example/v1","kind":"Widget","spec":{"color":"red"},"metadata":
               {"name":"w","namespace":"shop","uid":"u1","labels":{"app":"toys"}}})")));
  EXPECT_TRUE(
      sent(1).target.starts_with("/apis/toys.example/v1/namespaces/shop/widgets/w/status?"));
  EXPECT_TRUE(model::equal(
      json(sent(1).body),
      json(R"({"apiVersion":"toys.example/v1","kind":"Widget","status":{"phase":"New"},"metadata":
               {"name":"w","namespace":"shop"}})")));
}

TEST_F(KubeClient, TypedGetNamesTheFieldThatIsWrong) {
  transport.then(200, R"({"spec":{"color":"blue"}})");
  transport.then(200, R"({"spec":{"color":7}})");

  EXPECT_EQ(get<Widget>(client, "shop", "w")->spec.color, "blue");
  const Reply<Widget> wrong = get<Widget>(client, "shop", "w");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().error.what().find("reading widgets.toys.example w: spec.color"),
            std::string::npos)
      << wrong.error().error.what();
}

}  // namespace
}  // namespace holdfast::kube
