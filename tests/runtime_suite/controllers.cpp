// The loop of a controller: what it promises whatever the reconciler is, shown on the embedded
// server with one hand on the clock, the caches and the wire.
#include <holdfast/control/finalizers.h>

#include "world.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace holdfast::suite {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using control::Pass;
using kube::kConfigMaps;
using kube::kSecrets;

/// ConfigMaps that want `data.children` Secrets each, named after their number.
class Parents : public testing::Test {
 protected:
  static std::vector<control::Watch> watches() {
    return {{.scope = {.resource = kConfigMaps, .ns = "default", .label_selector = "parent=yes"}},
            {.scope = {.resource = kSecrets, .ns = "default"},
             .map = control::controlling_owner(kConfigMaps)}};
  }
  static model::Value child(const kube::Cached& parent, size_t number) {
    model::Value secret = parsed(R"({"apiVersion":"v1","kind":"Secret"})");
    auto& meta = model::ensure_object(secret, {"metadata"});
    meta["namespace"] = "default";
    meta["name"] = control::child_name(parent.name(), parent.uid(), std::to_string(number));
    meta["ownerReferences"] = model::Array{control::controller_reference(kConfigMaps, parent)};
    return secret;
  }
  /// Creates one more than it sees, up to three. A stale view would make it create one twice.
  Result<Outcome> reconcile(Pass& pass) {
    ++passes_;
    refused_ = pass.refusal() != nullptr;
    const kube::Cached parent = pass.get(kConfigMaps, pass.key().ns, pass.key().name);
    if (!parent) return Outcome::done("Gone");
    const size_t there = pass.controlled_by(kSecrets, parent.uid()).size();
    if (there >= 3) return Outcome::done("Complete");
    auto write = control::create(kSecrets, child(parent, there));
    write.note = control::Note{false, "SuccessfulCreate", "Created " + write.key.text(), "Create"};
    return Outcome::act(std::move(write));
  }
  control::ControllerSpec spec() {
    return controller_of(watches(), [this](Pass& pass) { return reconcile(pass); });
  }
  void add_parent(const std::string& name = "p") {
    world_.config_map(name, R"(,"labels":{"parent":"yes"})");
  }

  World world_;
  int passes_ = 0;
  bool refused_ = false;
};

TEST_F(Parents, ReachTheirGoalWithOneEffectPerPass) {
  add_parent();
  Operator op(world_, spec());

  ASSERT_TRUE(op.settle());

  EXPECT_EQ(world_.count(kSecrets), 3U);
  EXPECT_EQ(op.wire.writes.size(), 3U);
  EXPECT_EQ(passes_, 4) << "three acts and the look that finds it complete";
}

TEST_F(Parents, AKeyWaitsUntilItsOwnWriteIsInTheCache) {
  add_parent();
  Operator op(world_, spec());
  ASSERT_TRUE(op.step());
  ASSERT_EQ(passes_, 1);

  for (int i = 0; i < 50; ++i) {
    world_.advance(100ms);
    op.controller.enqueue({"default", "p"});
    op.step();
  }
  EXPECT_EQ(passes_, 1) << "looked at a state older than its own write";
  op.watch();
  op.step();

  EXPECT_EQ(passes_, 2);
  EXPECT_EQ(op.controller.queue().retries({"default", "p"}), 0);
}

TEST_F(Parents, TheCacheOpensTheGateAtOnce) {
  add_parent();
  Operator op(world_, spec());
  op.step();

  op.watch();

  EXPECT_EQ(op.controller.queue().ready(world_.clock.mono()).size(), 1U);
}

TEST_F(Parents, AnAnswerThatIsLostDoesNotMakeASecondChild) {
  add_parent();
  Operator op(world_, spec());
  int lost = 1;
  op.wire.cut_after = [&](const net::Call& call) { return call.method == "POST" && lost-- == 1; };

  ASSERT_TRUE(op.settle());

  EXPECT_EQ(world_.count(kSecrets), 3U);
  EXPECT_EQ(op.wire.writes.size(), 3U) << "what the server holds was read, not tried again";
}

TEST_F(Parents, AnAnswerThatIsLostHoldsTheKeyUntilTheServerCanBeRead) {
  add_parent();
  Operator op(world_, spec());
  bool down = false;
  op.wire.cut_after = [&](const net::Call& call) { return call.method == "POST" && (down = true); };
  op.wire.cut_before = [&](const net::Call&) { return down; };
  op.step();
  ASSERT_EQ(passes_, 1);

  for (int i = 0; i < 20; ++i) {
    world_.advance(10s);
    op.step();
  }
  EXPECT_EQ(passes_, 1);
  op.wire.cut_before = op.wire.cut_after = {};
  world_.advance(1000s);
  ASSERT_TRUE(op.settle());

  EXPECT_EQ(world_.count(kSecrets), 3U);
}

TEST_F(Parents, ACrashAfterTheWriteIsFollowedByOneThatGoesOn) {
  add_parent();
  {
    Operator first(world_, spec());
    first.step();
  }
  Operator second(world_, spec());

  ASSERT_TRUE(second.settle());

  EXPECT_EQ(world_.count(kSecrets), 3U);
}

TEST_F(Parents, ANameTakenBySomebodyElseIsRefusedAndTold) {
  add_parent();
  Operator op(world_, spec());
  const kube::Cached parent = op.informers.of(watches()[0].scope).get("default", "p");
  model::Value foreign = child(parent, 0);
  model::erase(foreign, {"metadata", "ownerReferences"});
  ASSERT_TRUE(world_.client->create(kSecrets, "default", foreign));

  op.step();
  op.watch();
  world_.advance(10ms);
  op.step();

  EXPECT_TRUE(refused_) << "the next pass can tell why";
  EXPECT_EQ(op.controller.queue().retries({"default", "p"}), 2);
  ASSERT_TRUE(op.events.due());
  op.events.step();
  EXPECT_EQ(world_.count(kube::kEvents), 1U);
}

TEST_F(Parents, WithoutTheLeaseNothingIsSent) {
  add_parent();
  control::Fence fence;
  Operator op(world_, spec(), fence);

  op.step();
  EXPECT_EQ(passes_, 1);
  EXPECT_TRUE(op.wire.writes.empty());
  fence.move(world_.clock.mono() + 20s, 4);
  world_.advance(1s);
  ASSERT_TRUE(op.settle());

  EXPECT_EQ(world_.count(kSecrets), 3U);
  fence.move(world_.clock.mono() + 5s, 4);
  add_parent("q");
  ASSERT_TRUE(op.settle(0s));
  EXPECT_EQ(world_.count(kSecrets), 3U) << "a request may last as long as the lease";
}

TEST_F(Parents, EachWriteSaysWhatItWasDecidedOn) {
  add_parent();
  control::Fence fence;
  fence.move(1000s, 7);
  Operator op(world_, spec(), fence);
  op.step();

  const std::string said(op.wire.writes.at(0).headers.get("Holdfast-Pass"));

  const auto progress = [&](size_t watch) {
    return std::to_string(op.informers.of(watches()[watch].scope).progress());
  };
  EXPECT_EQ(said,
            "controller=suite-controller; key=default/p; pass=1; epoch=7; uid=; basis=configmaps:" +
                progress(0) + ",secrets:" + progress(1));
}

TEST_F(Parents, ARealChangeOvertakesTheFirstList) {
  for (int i = 0; i < 5; ++i) add_parent("old-" + std::to_string(i));
  Operator op(world_, spec());
  add_parent("young");

  op.watch();

  EXPECT_EQ(op.controller.queue().ready(world_.clock.mono()).front().name, "young");
}

/// ConfigMaps alone, with a reconciler that each test writes.
class Outcomes : public testing::Test {
 protected:
  std::unique_ptr<Operator> start(std::function<Result<Outcome>(Pass&)> reconcile) {
    std::vector<control::Watch> watches{
        {.scope = {.resource = kConfigMaps, .ns = "default", .label_selector = "mine=yes"}}};
    return std::make_unique<Operator>(world_, controller_of(watches, [this, reconcile](Pass& pass) {
                                        ++passes_;
                                        return reconcile(pass);
                                      }));
  }
  static kube::Cached mine(Pass& pass) {
    return pass.get(kConfigMaps, pass.key().ns, pass.key().name);
  }
  static control::Write annotate(const kube::Cached& seen, const std::string& value,
                                 control::Decides decides = control::Decides::No) {
    model::Value merge;
    model::ensure_object(merge, {"metadata", "annotations"})["n"] = value;
    return control::patch(kConfigMaps, seen, std::move(merge), decides);
  }
  void add(const std::string& name) { world_.config_map(name, R"(,"labels":{"mine":"yes"})"); }
  std::string annotation(const std::string& name) {
    auto object = world_.client->get(kConfigMaps, "default", name);
    if (!object) return "none";
    return std::string(model::string_at(*object, {"metadata", "annotations", "n"}));
  }

  World world_;
  int passes_ = 0;
  const kube::Key key_{"default", "c"};
};

TEST_F(Outcomes, WaitLooksAgainAfterItsTime) {
  add("c");
  auto op = start([](Pass&) { return Outcome::wait(30s, "Starting"); });
  op->step();

  EXPECT_EQ(op->controller.queue().due(), world_.clock.mono() + 30s);
  EXPECT_FALSE(op->step());
  world_.advance(30s);
  EXPECT_TRUE(op->step());
  EXPECT_EQ(passes_, 2);
}

TEST_F(Outcomes, WaitTellsTheMetricsWhatFor) {
  add("c");
  auto op = start(
      [this](Pass&) { return passes_ == 1 ? Outcome::wait(30s, "Starting") : Outcome::done(); });
  const std::string waiting =
      R"(holdfast_waiting{controller="suite-controller",reason="Starting"})";

  op->step();
  EXPECT_NE(op->metrics.text().find(waiting + " 1"), std::string::npos);
  world_.advance(30s);
  op->step();

  EXPECT_NE(op->metrics.text().find(waiting + " 0"), std::string::npos);
}

TEST_F(Outcomes, ANamespaceThatIsNotWatchedIsEmpty) {
  auto op = start([](Pass& pass) {
    EXPECT_FALSE(mine(pass));
    EXPECT_TRUE(pass.list(kConfigMaps, pass.key().ns).empty());
    return Outcome::done();
  });
  op->controller.enqueue({"kube-system", "c"});

  EXPECT_TRUE(op->step());
  EXPECT_EQ(passes_, 1);
}

TEST_F(Outcomes, StopAndDoneWaitForAChange) {
  add("c");
  auto op = start([](Pass&) { return Outcome::stop("ClusterExists", "a restore only creates"); });
  op->step();

  EXPECT_FALSE(op->controller.queue().due());
  op->controller.enqueue(key_);
  EXPECT_TRUE(op->step());
}

TEST_F(Outcomes, ErrorsAreRetriedIfTheyMayPass) {
  add("c");
  Fault fault = Fault::Unavailable;
  auto op = start([&](Pass&) -> Result<Outcome> { return Error(fault, "read the store: away"); });
  op->step();
  EXPECT_EQ(op->controller.queue().retries(key_), 1);
  world_.advance(5ms);
  op->step();
  EXPECT_EQ(op->controller.queue().retries(key_), 2);

  fault = Fault::Invalid;
  world_.advance(10ms);
  op->step();

  EXPECT_FALSE(op->controller.queue().due()) << "an error that stays is not tried again";
  EXPECT_EQ(op->controller.queue().retries(key_), 0);
}

TEST_F(Outcomes, AnExceptionCostsOneRetryOfOneKey) {
  add("a");
  add("c");
  auto op = start([&](Pass& pass) -> Result<Outcome> {
    if (pass.key().name == "a" && passes_ == 1) throw std::runtime_error("boom");
    if (pass.key().name == "a" && passes_ == 3) throw 42;
    return Outcome::done();
  });

  ASSERT_TRUE(op->settle());

  EXPECT_EQ(passes_, 4);
  EXPECT_EQ(op->controller.queue().retries({"default", "a"}), 0);
  EXPECT_NE(op->metrics.text().find("controller_runtime_reconcile_panics_total{controller="
                                    "\"suite-controller\"} 2"),
            std::string::npos);
}

TEST_F(Outcomes, APatchIsForTheObjectThatWasSeen) {
  add("c");
  auto op = start([&](Pass& pass) -> Result<Outcome> {
    auto seen = mine(pass);
    if (!seen) return Outcome::done();
    return Outcome::act(annotate(seen, "meant for the first"));
  });
  ASSERT_TRUE(world_.client->remove(kConfigMaps, "default", "c"));
  add("c");

  for (int i = 0; i < 6; ++i) {
    op->step();
    world_.advance(1s);
  }

  EXPECT_EQ(passes_, 1) << "what was overtaken is not tried again on the same old cache";
  EXPECT_EQ(annotation("c"), "") << "the name belongs to another object now";
}

TEST_F(Outcomes, ADeletionIsForTheObjectThatWasSeen) {
  add("c");
  auto op = start([&](Pass& pass) -> Result<Outcome> {
    auto seen = mine(pass);
    if (!seen) return Outcome::done();
    return Outcome::act(control::remove(kConfigMaps, seen));
  });
  ASSERT_TRUE(world_.client->remove(kConfigMaps, "default", "c"));
  add("c");

  for (int i = 0; i < 6; ++i) {
    op->step();
    world_.advance(1s);
  }

  EXPECT_EQ(passes_, 1);
  EXPECT_TRUE(world_.client->get(kConfigMaps, "default", "c")) << "another object was deleted";
}

TEST_F(Outcomes, ADecisionOnTheWholeObjectFallsWithItsVersion) {
  add("c");
  auto op = start([&](Pass& pass) -> Result<Outcome> {
    auto seen = mine(pass);
    std::string before(model::string_at(seen.value(), {"metadata", "annotations", "n"}));
    if (before.ends_with("+")) return Outcome::done();
    return Outcome::act(annotate(seen, before + "+", control::Decides::Yes));
  });
  auto theirs = world_.client->patch(kConfigMaps, "default", "c", kube::PatchType::Merge,
                                     parsed(R"({"metadata":{"annotations":{"n":"theirs"}}})"));
  ASSERT_TRUE(theirs);

  op->step();
  EXPECT_EQ(annotation("c"), "theirs");
  ASSERT_TRUE(op->settle());

  EXPECT_EQ(annotation("c"), "theirs+");
}

TEST_F(Outcomes, ADeletionIsNotRepeatedBeforeItIsSeen) {
  add("c");
  auto op = start([&](Pass& pass) -> Result<Outcome> {
    auto seen = mine(pass);
    if (!seen) return Outcome::done();
    return Outcome::act(control::remove(kConfigMaps, seen));
  });
  for (int i = 0; i < 10; ++i) {
    op->step();
    world_.advance(1s);
  }
  EXPECT_EQ(passes_, 1);

  ASSERT_TRUE(op->settle());

  EXPECT_EQ(op->wire.writes.size(), 1U);
  EXPECT_EQ(passes_, 2);
}

TEST_F(Outcomes, AWriteOutsideTheSelectorIsNotWaitedFor) {
  add("c");
  world_.config_map("other");
  auto op = start([&](Pass&) -> Result<Outcome> {
    if (passes_ > 1) return Outcome::done();
    auto other = world_.client->get(kConfigMaps, "default", "other");
    return Outcome::act(annotate(kube::Cached::from_value(*other).take(), "x"));
  });
  op->step();

  EXPECT_TRUE(op->step()) << "no event of it will ever come";
  EXPECT_EQ(passes_, 2);
}

TEST_F(Outcomes, AKeyThatNeverRestsIsSlowedDown) {
  add("c");
  auto op = start([&](Pass& pass) -> Result<Outcome> {
    return Outcome::act(annotate(mine(pass), std::to_string(passes_)));
  });

  for (int i = 0; i < 1100; ++i) {
    op->watch();
    op->step();
  }

  EXPECT_EQ(passes_, 1001);
  EXPECT_GE(*op->controller.queue().due() - world_.clock.mono(), 1s);
}

TEST_F(Outcomes, AServerThatIsBusySaysWhenToComeBack) {
  add("c");
  auto op =
      start([&](Pass& pass) -> Result<Outcome> { return Outcome::act(annotate(mine(pass), "x")); });
  op->wire.cut_before = [](const net::Call& call) { return call.method == "PATCH"; };
  op->step();

  EXPECT_EQ(op->controller.queue().retries(key_), 1);
  op->wire.cut_before = {};
  world_.advance(5ms);
  op->step();
  EXPECT_EQ(annotation("c"), "x");
}

}  // namespace
}  // namespace holdfast::suite
