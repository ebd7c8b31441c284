// Operations: no effect without recorded intent, whatever dies or is lost in between.
#include "world.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace holdfast::suite {
namespace {

using namespace std::chrono_literals;
using control::find_operation;
using control::Outcome;
using control::Pass;

constexpr kube::Resource kVaults{"suite.holdfast.dev", "v1", "vaults", "Vault"};

constexpr const char* kDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "vaults.suite.holdfast.dev"},
  "spec": {"group": "suite.holdfast.dev", "scope": "Namespaced",
    "names": {"plural": "vaults", "singular": "vault", "kind": "Vault", "listKind": "VaultList"},
    "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
      "schema": {"openAPIV3Schema": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true}}}]}})";

/// A vault is to be sealed once, by an effect outside the server.
class Operations : public testing::Test {
 protected:
  Operations() {
    auto defined = world_.client->raw(
        "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", parsed(kDefinition));
    EXPECT_TRUE(defined);
    add_vault();
  }
  void add_vault() {
    auto made = world_.client->create(
        kVaults, "default", parsed(R"({"apiVersion":"suite.holdfast.dev/v1","kind":"Vault",
                  "metadata":{"namespace":"default","name":"v"}})"));
    EXPECT_TRUE(made);
  }
  Result<Outcome> reconcile(Pass& pass) {
    const kube::Cached vault = pass.get(kVaults, pass.key().ns, pass.key().name);
    const auto record = find_operation(vault.value(), "seal");
    if (record && record->succeeded()) return Outcome::done("Sealed");
    if (record && record->message == "interrupted") return Outcome::stop("Unknown", "look");
    control::Operation seal;
    seal.name = "seal";
    seal.resource = kVaults;
    seal.owner = vault;
    seal.idempotent = idempotent_;
    seal.limit = limit_;
    seal.attempt = !record                       ? 1
                   : record->begun_and_unknown() ? record->attempt
                                                 : record->attempt + 1;
    seal.run = [this] {
      const auto there = recorded();
      intents_seen_ += there && there->begun_and_unknown();
      ++effects_;
      return effect_ ? effect_() : Result<model::Value>(parsed(R"({"key":"k1"})"));
    };
    return Outcome::act(std::move(seal));
  }
  control::ControllerSpec spec() {
    return controller_of({{.scope = {.resource = kVaults}}},
                         [this](Pass& pass) { return reconcile(pass); });
  }
  std::optional<control::OperationRecord> recorded() {
    auto vault = world_.client->get(kVaults, "default", "v");
    if (!vault) return {};
    return find_operation(*vault, "seal");
  }

  World world_;
  bool idempotent_ = true;
  std::chrono::milliseconds limit_{0};
  int effects_ = 0, intents_seen_ = 0;
  std::function<Result<model::Value>()> effect_{};
};

TEST_F(Operations, RecordIntentThenRunThenRecordTheOutcome) {
  Operator op(world_, spec());

  op.step();
  EXPECT_EQ(effects_, 0) << "the first pass only records what it will do";
  ASSERT_TRUE(recorded());
  EXPECT_TRUE(recorded()->begun_and_unknown());
  ASSERT_TRUE(op.settle());

  EXPECT_EQ(effects_, 1);
  EXPECT_EQ(intents_seen_, 1);
  EXPECT_TRUE(recorded()->succeeded());
  EXPECT_EQ(model::string_at(*recorded()->result, {"key"}), "k1");
}

TEST_F(Operations, ACrashBeforeTheOutcomeRunsAnIdempotentOneAgain) {
  {
    Operator first(world_, spec());
    first.step();
    first.watch();
    first.wire.cut_before = [](const net::Call&) { return true; };
    first.step();
  }
  ASSERT_EQ(effects_, 1);
  Operator second(world_, spec());

  ASSERT_TRUE(second.settle());

  EXPECT_EQ(effects_, 2);
  EXPECT_EQ(recorded()->attempt, 1);
  EXPECT_TRUE(recorded()->succeeded());
}

TEST_F(Operations, ACrashBeforeTheOutcomeIsToldOfOneThatMustNotRunTwice) {
  idempotent_ = false;
  {
    Operator first(world_, spec());
    first.step();
    first.watch();
    first.wire.cut_before = [](const net::Call&) { return true; };
    first.step();
  }
  Operator second(world_, spec());

  ASSERT_TRUE(second.settle());

  EXPECT_EQ(effects_, 1);
  EXPECT_EQ(recorded()->outcome, "Failed");
  EXPECT_EQ(recorded()->message, "interrupted");
}

/// A new leader whose cache does not hold the outcome yet: an effect that may run twice would do so
/// after all that followed it.
TEST_F(Operations, WhatAnotherBeganIsTakenOverOnlyIfTheServerStillSaysSo) {
  for (const bool idempotent : {true, false}) {
    idempotent_ = idempotent;
    effects_ = 0;
    Operator first(world_, spec());
    first.step();
    Operator second(world_, spec());
    first.watch();
    first.step();
    ASSERT_EQ(effects_, 1);
    ASSERT_TRUE(recorded()->succeeded());
    second.wire.writes.clear();

    second.step();
    EXPECT_EQ(effects_, 1) << "decided by the cache";
    EXPECT_TRUE(second.wire.writes.empty()) << "recorded by the cache";
    ASSERT_TRUE(second.settle());

    EXPECT_EQ(effects_, 1);
    EXPECT_TRUE(recorded()->succeeded());
    ASSERT_TRUE(world_.client->remove(kVaults, "default", "v"));
    add_vault();
  }
}

TEST_F(Operations, NothingIsTakenOverWhileTheServerIsAway) {
  {
    Operator first(world_, spec());
    first.step();
  }
  Operator second(world_, spec());
  second.wire.cut_before = [](const net::Call&) { return true; };
  second.step();
  EXPECT_EQ(effects_, 0);
  second.wire.cut_before = nullptr;

  ASSERT_TRUE(second.settle());

  EXPECT_EQ(effects_, 1);
  EXPECT_TRUE(recorded()->succeeded());
}

TEST_F(Operations, AnOutcomeThatCannotBeWrittenIsNotRunAgain) {
  Operator op(world_, spec());
  op.step();
  op.watch();
  // Somebody else changes the vault while the effect runs: the outcome's write is a conflict.
  effect_ = [&]() -> Result<model::Value> {
    EXPECT_TRUE(world_.client->patch(kVaults, "default", "v", kube::PatchType::Merge,
                                     parsed(R"({"metadata":{"labels":{"a":"b"}}})")));
    return model::Value();
  };
  op.step();
  EXPECT_TRUE(recorded()->begun_and_unknown());

  ASSERT_TRUE(op.settle());

  EXPECT_EQ(effects_, 1);
  EXPECT_TRUE(recorded()->succeeded());
}

TEST_F(Operations, AFailureIsRecordedAndTriedAgainWithGrowingPauses) {
  Operator op(world_, spec());
  effect_ = [&]() -> Result<model::Value> {
    if (effects_ <= 3) return Error(Fault::Unavailable, "seal: the store is away");
    return model::Value();
  };
  const MonoTime begin = world_.clock.mono();

  ASSERT_TRUE(op.settle());

  EXPECT_EQ(effects_, 4);
  EXPECT_EQ(intents_seen_, 4) << "each attempt has its intent";
  EXPECT_EQ(recorded()->attempt, 4);
  EXPECT_GE(world_.clock.mono() - begin, 5ms + 10ms + 20ms);
  EXPECT_EQ(op.controller.queue().retries({"default", "v"}), 0);
}

TEST_F(Operations, AnExceptionLeavesTheEndUnknown) {
  Operator op(world_, spec());
  effect_ = [&]() -> Result<model::Value> {
    if (effects_ == 1) throw std::runtime_error("boom");
    return model::Value();
  };

  ASSERT_TRUE(op.settle());

  EXPECT_EQ(effects_, 2);
  EXPECT_TRUE(recorded()->succeeded());
}

TEST_F(Operations, AnIntentIsNotRecordedInAnotherObjectOfTheSameName) {
  Operator op(world_, spec());
  ASSERT_TRUE(world_.client->remove(kVaults, "default", "v"));
  add_vault();

  op.step();
  EXPECT_FALSE(recorded()) << "the vault seen is gone";
  ASSERT_TRUE(op.settle());

  EXPECT_TRUE(recorded()->succeeded());
  EXPECT_EQ(effects_, 1);
}

TEST_F(Operations, ThatMayTakeLongerThanTheirControllerSaysAreDefects) {
  limit_ = 6s;
  control::ControllerSpec brief = spec(), patient = spec();
  patient.longest_operation = 6s;
  {
    Operator op(world_, std::move(brief));
    ASSERT_TRUE(op.settle());
    EXPECT_EQ(effects_, 0);
    EXPECT_FALSE(recorded());
  }
  Operator op(world_, std::move(patient));
  ASSERT_TRUE(op.settle());

  EXPECT_EQ(effects_, 1);
}

TEST_F(Operations, WithoutTheLeaseNothingIsBegun) {
  control::Fence fence;
  fence.move(1000s, 1);
  Operator op(world_, spec(), fence);
  op.step();
  op.watch();
  fence.close();

  op.step();

  EXPECT_EQ(effects_, 0);
}

}  // namespace
}  // namespace holdfast::suite
