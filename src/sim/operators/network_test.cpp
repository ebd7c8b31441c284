#include "operators/network.h"

#include "oracles/goals.h"
#include "world/world.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

net::Call create_pod(const std::string& name) {
  net::Call call;
  call.method = "POST";
  call.target = kube::kPods.path(kNamespace, "");
  call.headers.set("Content-Type", "application/json");
  call.body = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
              R"("},"spec":{"containers":[{"name":"main","image":"web:1"}]}})";
  call.timeout = 5s;
  return call;
}

struct NetworkTest : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
    schedule = std::make_unique<Schedule>(world->clock, random);
    network = std::make_unique<Network>(*world->server, *world->history, *schedule);
    life.caller = {std::string(kOperator), {}};
  }
  void befall(std::string_view faults) {
    const auto read = faults_from_yaml(faults);
    ASSERT_TRUE(read) << read.error().what();
    network->set_faults(*read);
  }
  size_t pods() const { return world->history->now("pods").size(); }

  SeededRandom random{1};
  std::unique_ptr<World> world;
  std::unique_ptr<Schedule> schedule;
  std::unique_ptr<Network> network;
  Life life;
};

TEST_F(NetworkTest, ACrashBeforeTheReplyLeavesTheWriteAndNothingAfterIt) {
  befall("- {at: write 1, do: crash-before-reply}");
  Wire wire(*network, life);

  EXPECT_FALSE(wire.call(create_pod("a")));
  EXPECT_TRUE(life.dead);
  EXPECT_FALSE(wire.call(create_pod("b")));

  EXPECT_EQ(pods(), 1U);
  EXPECT_FALSE(network->log().front().replied);
}

TEST_F(NetworkTest, ACrashBeforeTheWriteLeavesNothing) {
  befall("- {at: write 1, do: crash-before-write}");

  EXPECT_FALSE(network->carry(life, create_pod("a")));

  EXPECT_TRUE(life.dead);
  EXPECT_EQ(pods(), 0U);
}

TEST_F(NetworkTest, ACrashStrikesOnce) {
  befall("- {at: write 1, do: crash-before-write}");
  EXPECT_FALSE(network->carry(life, create_pod("a")));
  Life next;
  next.caller = life.caller;

  EXPECT_TRUE(network->carry(next, create_pod("a")));

  EXPECT_FALSE(next.dead);
  EXPECT_EQ(network->writes(), 1U);
}

TEST_F(NetworkTest, ALostReplyIsAnErrorAfterTheTimeLimitThoughTheWriteStands) {
  befall("- {at: call 1, do: lose-reply}");
  const MonoTime begun = world->clock.mono();

  EXPECT_FALSE(network->carry(life, create_pod("a")));

  EXPECT_GE(world->clock.mono() - begun, MonoTime(5s));
  EXPECT_EQ(pods(), 1U);
  EXPECT_FALSE(life.dead);
}

TEST_F(NetworkTest, AnInjectedAnswerKeepsTheRequestFromTheServer) {
  befall("- {at: call 1, do: answer, code: 503}");

  const auto answer = network->carry(life, create_pod("a"));

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->headers.get("Retry-After"), "1");
  EXPECT_EQ(pods(), 0U);
}

TEST_F(NetworkTest, OnlyTheServerIsReachedWhileAllElseIsCutOff) {
  int arrived = 0;
  const auto reach = [&] {
    return network->reach(life, "GET", "bucket/?prefix=", [&] {
      ++arrived;
      return ok();
    });
  };
  network->cut_off(true);
  const MonoTime begun = world->clock.mono();

  const Result<void> lost = reach();
  EXPECT_TRUE(network->carry(life, create_pod("a")));

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().fault(), Fault::Unavailable);
  EXPECT_GE(world->clock.mono() - begun, MonoTime(10s));
  EXPECT_EQ(arrived, 0);
  network->cut_off(false);
  EXPECT_TRUE(reach());
  EXPECT_EQ(arrived, 1);
}

TEST_F(NetworkTest, AListThatMayBeOldIsAnsweredOldWhileTheServerLags) {
  ASSERT_TRUE(network->carry(life, create_pod("a")));
  ASSERT_TRUE(network->carry(life, create_pod("b")));
  network->let_lists_lag("pods", 1, world->clock.mono() + 10s);
  net::Call any, newest;
  any.target = kube::kPods.path("", "") + "?limit=500&resourceVersion=0";
  newest.target = kube::kPods.path("", "") + "?limit=500";
  const auto items = [&](const net::Call& call) {
    const auto answer = network->carry(life, call);
    const auto parsed = model::parse_json(answer ? answer->body : "");
    return parsed ? model::array_at(parsed->value, {"items"}).size() : size_t(999);
  };

  EXPECT_EQ(items(any), 1U);
  EXPECT_EQ(items(newest), 2U);
  world->clock.advance(11s);
  EXPECT_EQ(items(any), 2U);
}

}  // namespace
}  // namespace holdfast::sim
