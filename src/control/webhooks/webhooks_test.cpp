#include <holdfast/base/bytes.h>
#include <holdfast/control/webhooks.h>
#include <holdfast/model/patch.h>
#include <holdfast/net/client.h>
#include <holdfast/net/pki.h>
#include <holdfast/net/server.h>

#include <gtest/gtest.h>

namespace holdfast::control {
namespace {

using namespace std::chrono_literals;
using model::Value;

Value json(std::string_view text) { return model::parse_json(text)->value; }

net::Response post(WebhookService& service, std::string path, std::string body,
                   std::string method = "POST") {
  net::Request request;
  request.method = std::move(method);
  request.target = request.path = std::move(path);
  request.body = std::move(body);
  net::Response out;
  service.serve(std::move(request), [&out](net::Response response) { out = std::move(response); });
  return out;
}

constexpr std::string_view kReview =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
  "request":{"uid":"u1","operation":"CREATE","namespace":"shop","name":"a","dryRun":true,
  "userInfo":{"username":"eva","groups":["dev","ops"]},
  "object":{"metadata":{"name":"a"},"spec":{"keep":1,"old":true}}}})";

TEST(Webhooks, AdmissionHandlerSeesTheRequestAndItsPatchGivesTheObjectItWants) {
  WebhookService service;
  AdmissionRequest seen;
  service.admit("/mutate", [&seen](const AdmissionRequest& request) {
    seen = request;
    AdmissionAnswer answer;
    answer.warnings = {"keep is small"};
    answer.patched = json(R"({"metadata":{"name":"a","labels":{"a/b":"~"}},"spec":{"keep":3}})");
    return answer;
  });

  const net::Response response = post(service, "/mutate", std::string(kReview));

  EXPECT_EQ(seen.user, "eva");
  EXPECT_EQ(seen.groups, (std::vector<std::string>{"dev", "ops"}));
  EXPECT_TRUE(seen.dry_run);
  ASSERT_EQ(response.status, 200) << response.body;
  const Value answer = json(response.body);
  EXPECT_EQ(model::string_at(answer, {"response", "uid"}), "u1");
  EXPECT_TRUE(model::bool_at(answer, {"response", "allowed"}, false));
  const Value patch = json(*from_base64(model::string_at(answer, {"response", "patch"})));
  const Result<Value> patched = model::apply_json_patch(seen.object, patch);
  ASSERT_TRUE(patched) << patched.error().what();
  EXPECT_TRUE(model::equal(
      *patched, json(R"({"metadata":{"name":"a","labels":{"a/b":"~"}},"spec":{"keep":3}})")))
      << model::to_json(*patched);
}

TEST(Webhooks, RefusalCarriesCodeAndMessage) {
  WebhookService service;
  service.admit("/validate", [](const AdmissionRequest&) {
    AdmissionAnswer answer;
    answer.allowed = false;
    answer.code = 422;
    answer.message = "spec.keep: must be at least 2";
    return answer;
  });

  const Value answer = json(post(service, "/validate", std::string(kReview)).body);

  EXPECT_FALSE(model::bool_at(answer, {"response", "allowed"}, true));
  EXPECT_EQ(model::int_at(answer, {"response", "status", "code"}, 0), 422);
  EXPECT_EQ(model::string_at(answer, {"response", "status", "message"}),
            "spec.keep: must be at least 2");
}

TEST(Webhooks, WhatIsNoReviewIsRefusedWithTheReason) {
  WebhookService service;
  service.admit("/v",
                [](const AdmissionRequest&) -> AdmissionAnswer { throw std::runtime_error("x"); });

  EXPECT_EQ(post(service, "/w", "{}").status, 404);
  EXPECT_EQ(post(service, "/v", "", "GET").status, 405);
  EXPECT_EQ(post(service, "/v", "{\"kind\":").status, 400);
  EXPECT_EQ(post(service, "/v", "[]").status, 400);
  EXPECT_EQ(post(service, "/v", R"({"kind":"AdmissionReview"})").status, 400);
  EXPECT_EQ(post(service, "/v", std::string((size_t{3} << 20) + 1, ' ')).status, 400);
  EXPECT_EQ(post(service, "/v", std::string(kReview)).status, 500);
}

TEST(Webhooks, ConversionIsAllOrNothing) {
  WebhookService service;
  service.convert("/convert", [](Value object, const std::string& to) -> Result<Value> {
    if (model::bool_at(object, {"bad"}, false)) return Error(Fault::Invalid, "cannot say it in v2");
    object.as_object()["apiVersion"] = to;
    return object;
  });
  const auto ask = [&service](std::string_view objects) {
    return json(post(service, "/convert",
                     R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview",)"
                     R"("request":{"uid":"u2","desiredAPIVersion":"x.dev/v2","objects":)" +
                         std::string(objects) + "}}")
                    .body);
  };

  const Value good = ask(R"([{"apiVersion":"x.dev/v1"},{"apiVersion":"x.dev/v1"}])");
  const Value bad = ask(R"([{"apiVersion":"x.dev/v1"},{"apiVersion":"x.dev/v1","bad":true}])");

  EXPECT_EQ(model::string_at(good, {"response", "result", "status"}), "Success");
  ASSERT_EQ(model::array_at(good, {"response", "convertedObjects"}).size(), 2U);
  EXPECT_EQ(
      model::string_at(model::array_at(good, {"response", "convertedObjects"})[1], {"apiVersion"}),
      "x.dev/v2");
  EXPECT_EQ(model::string_at(bad, {"response", "result", "status"}), "Failure");
  EXPECT_EQ(model::string_at(bad, {"response", "result", "message"}), "cannot say it in v2");
  EXPECT_TRUE(model::array_at(bad, {"response", "convertedObjects"}).empty());
}

TEST(WebhookCertificates, AreKeptWhileGoodAndRenewedWithoutBreakingTrust) {
  ManualClock clock(SystemClock().now());
  SystemRandom random;

  const ServingCertificate first = renew({}, {"hooks.shop.svc"}, clock, random).take();
  clock.advance(24h * 30);
  const ServingCertificate same = renew(first, {"hooks.shop.svc"}, clock, random).take();
  clock.advance(24h * 31);
  const ServingCertificate second = renew(same, {"hooks.shop.svc"}, clock, random).take();
  clock.advance(24h * 250);
  const ServingCertificate third = renew(second, {"hooks.shop.svc"}, clock, random).take();

  EXPECT_EQ(same.certificate, first.certificate);
  EXPECT_NE(second.certificate, first.certificate);
  EXPECT_EQ(second.ca, first.ca);
  EXPECT_NE(third.ca, first.ca) << "the first CA ends before a new certificate would";
  EXPECT_NE(third.ca_bundle.find(first.ca), std::string::npos);
  EXPECT_NE(third.ca_bundle.find(third.ca), std::string::npos);
}

TEST(WebhookCertificates, AServerThatTakesTheRenewedOneIsTrustedByBothBundles) {
  const SystemClock clock;
  SystemRandom random;
  const ServingCertificate first = renew({}, {"localhost"}, clock, random).take();
  ServingCertificate due = first;
  due.renew_at = clock.now() - 1s;
  WebhookService service;
  service.admit("/v", [](const AdmissionRequest&) { return AdmissionAnswer(); });
  const auto server =
      net::Server::start({.certificate = first.certificate, .key = first.key}, service).take();
  const auto calls = [&](const std::string& bundle) {
    const auto client =
        net::Client::make(
            {.base_url = "https://127.0.0.1:" + std::to_string(server->port()), .ca = bundle})
            .take();
    const auto answer =
        client->call({.method = "POST", .target = "/v", .body = std::string(kReview)});
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(calls(first.ca_bundle), 200);

  const ServingCertificate second = renew(due, {"localhost"}, clock, random).take();
  ASSERT_TRUE(server->use_certificate(second.certificate, second.key));

  EXPECT_EQ(calls(first.ca_bundle), 200);
  EXPECT_EQ(calls(second.ca_bundle), 200);
}

}  // namespace
}  // namespace holdfast::control
