// Refusals: what the server will not have of what is done for an object stands on the object.
#include "world.h"

#include <gtest/gtest.h>

namespace holdfast::suite {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using control::Pass;
using kube::kSecrets;
using model::string_at;

constexpr kube::Resource kVaults{"suite.holdfast.dev", "v1", "vaults", "Vault"};

constexpr const char* kDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "vaults.suite.holdfast.dev"},
  "spec": {"group": "suite.holdfast.dev", "scope": "Namespaced",
    "names": {"plural": "vaults", "singular": "vault", "kind": "Vault", "listKind": "VaultList"},
    "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
      "schema": {"openAPIV3Schema": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true}}}]}})";

/// A vault wants a Secret in a namespace that is not there.
class Refusals : public testing::Test {
 protected:
  Refusals() {
    EXPECT_TRUE(world_.client->raw(
        "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", parsed(kDefinition)));
    EXPECT_TRUE(world_.client->create(
        kVaults, "default", parsed(R"({"apiVersion":"suite.holdfast.dev/v1","kind":"Vault",
                  "metadata":{"namespace":"default","name":"v"}})")));
    // Somebody else's word, with a member that we do not know.
    EXPECT_TRUE(world_.client->patch(
        kVaults, "default", "v", kube::PatchType::Merge,
        parsed(R"({"status":{"conditions":[{"type":"Ready","status":"False","extra":"e"}]}})"),
        {.subresource = "status"}));
  }
  Result<Outcome> reconcile(Pass& pass) {
    if (read_.fault() != Fault::Internal) return read_.copy();
    if (!pass.list(kSecrets, "away").empty()) return Outcome::done("Complete");
    return Outcome::act(control::create(kSecrets, parsed(R"({"apiVersion":"v1","kind":"Secret",
                             "metadata":{"namespace":"away","name":"s"}})")));
  }
  std::unique_ptr<Operator> start(const std::string& condition = "Refused") {
    control::ControllerSpec spec =
        controller_of({{.scope = {.resource = kVaults}}, {.scope = {.resource = kSecrets}}},
                      [this](Pass& pass) { return reconcile(pass); });
    spec.refused_condition = condition;
    return std::make_unique<Operator>(world_, std::move(spec));
  }
  void make_namespace() {
    EXPECT_TRUE(world_.client->create(
        kube::kNamespaces, "",
        parsed(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"away"}})")));
  }
  /// Null if there is none.
  model::Value condition(const std::string& type) {
    const auto vault = world_.client->get(kVaults, "default", "v");
    for (const model::Value& each : model::array_at(*vault, {"status", "conditions"}))
      if (string_at(each, {"type"}) == type) return each;
    return nullptr;
  }
  static size_t told(const Operator& op) {
    return size_t(std::count_if(op.wire.writes.begin(), op.wire.writes.end(),
                                [](const net::Call& call) { return call.method == "PATCH"; }));
  }

  World world_;
  Error read_{Fault::Internal, ""};  ///< what reading ends in; Internal: in nothing
};

TEST_F(Refusals, AreToldOnceOnTheObjectAndTakenBackWhenTheWriteSucceeds) {
  auto op = start();
  op->step();
  EXPECT_TRUE(condition("Refused").is_null()) << "what a new namespace lacks comes by itself";

  ASSERT_TRUE(op->settle(3s));

  const model::Value refused = condition("Refused");
  EXPECT_EQ(string_at(refused, {"status"}), "True");
  EXPECT_EQ(string_at(refused, {"reason"}), "NotFound");
  EXPECT_EQ(string_at(refused, {"message"}),
            "create secrets away/s: namespaces \"away\" not found");
  EXPECT_EQ(model::int_at(refused, {"observedGeneration"}, 0), 1);
  EXPECT_EQ(told(*op), 1U) << "each try says the same";

  make_namespace();
  ASSERT_TRUE(op->settle(60s));

  EXPECT_TRUE(condition("Refused").is_null());
  EXPECT_EQ(string_at(condition("Ready"), {"extra"}), "e");
  EXPECT_TRUE(world_.client->get(kSecrets, "away", "s"));
}

TEST_F(Refusals, AreTriedAgainWithinAMinuteHoweverLongTheyLast) {
  auto op = start();
  for (int minute = 0; minute < 60; ++minute) {
    op->settle(1s);
    const auto due = op->controller.queue().due();
    ASSERT_TRUE(due);
    EXPECT_LE(*due - world_.clock.mono(), 60s);
    world_.advance(*due - world_.clock.mono());
  }
  EXPECT_EQ(told(*op), 1U);
}

TEST_F(Refusals, OfAnEarlierProcessAreTakenBackByTheNext) {
  ASSERT_TRUE(start()->settle(3s));
  ASSERT_FALSE(condition("Refused").is_null());
  make_namespace();

  ASSERT_TRUE(start()->settle(3s));

  EXPECT_TRUE(condition("Refused").is_null());
}

TEST_F(Refusals, OfReadsAreTold) {
  make_namespace();
  read_ = Error(Fault::Denied, "read claims: 403 Forbidden");
  auto op = start();
  ASSERT_TRUE(op->settle(3s));
  EXPECT_EQ(string_at(condition("Refused"), {"reason"}), "Forbidden");
  EXPECT_EQ(string_at(condition("Refused"), {"message"}), "read claims: 403 Forbidden");

  read_ = Error(Fault::Unavailable, "no answer");
  world_.advance(60s);
  op->settle(3s);
  EXPECT_FALSE(condition("Refused").is_null()) << "no answer says nothing about it";
  read_ = Error(Fault::Internal, "");
  ASSERT_TRUE(op->settle(60s));

  EXPECT_TRUE(condition("Refused").is_null());
}

TEST_F(Refusals, AreNotToldOnKindsOfOthers) {
  auto op = start("");
  ASSERT_TRUE(op->settle(3s));

  EXPECT_TRUE(condition("Refused").is_null());
  EXPECT_EQ(told(*op), 0U);
}

}  // namespace
}  // namespace holdfast::suite
