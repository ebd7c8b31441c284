#include "world/world.h"

#include "oracles/goals.h"
#include "world/kubelet.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

using model::Object;
using model::Value;
using namespace std::chrono_literals;

Value pod(std::string_view name) {
  return Object{
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", Object{{"name", name}}},
      {"spec", Object{{"containers", model::Array{Object{{"name", "main"}, {"image", "web:1"}}}}}}};
}

struct WorldTest : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
  }
  void create(const Value& object) {
    const auto answer =
        world->server->ask(administrator("test"), "POST", kube::kPods.path(kNamespace, ""), object);
    ASSERT_TRUE(answer) << answer.error().what();
    world->history->catch_up();
  }
  std::unique_ptr<World> world;
};

TEST_F(WorldTest, HistoryKnowsWhatAListWouldHaveAnsweredThen) {
  create(pod("a"));
  const uint64_t then = world->history->version();
  create(pod("b"));

  const size_t pods = world->history->index_of("pods");
  const auto before = model::parse_json(world->history->list_at(pods, then));
  const auto after = model::parse_json(world->history->list_at(pods, world->history->version()));

  ASSERT_TRUE(before && after);
  EXPECT_EQ(model::array_at(before->value, {"items"}).size(), 1U);
  EXPECT_EQ(model::array_at(after->value, {"items"}).size(), 2U);
  EXPECT_EQ(world->history->now("pods").size(), 2U);
}

TEST_F(WorldTest, TheKubeletBringsPodsUpAndTakesThemDown) {
  SeededRandom random(3);
  Schedule schedule(world->clock, random);
  const Parts parts;
  Storage storage(*world->server, *world->history, world->clock, random, parts);
  Network network(*world->server, *world->history, schedule);
  Bucket bucket(network);
  PodWork work(schedule, bucket);
  Kubelet kubelet(*world->server, *world->history, world->clock, random, storage, parts, work);
  schedule.add(kubelet);
  create(pod("a"));
  const auto play = [&] {
    while (schedule.step() || schedule.jump(world->clock.mono() + 1min)) {
    }
  };

  play();
  EXPECT_FALSE(unmet("ready pods 1", *world->history));
  kubelet.delete_pod(0);
  play();

  EXPECT_FALSE(unmet("count pods 0", *world->history));
}

TEST_F(WorldTest, OperatorsMayDoNothingOnceRevoked) {
  const Caller caller{std::string(kOperator), {}};
  const std::string path = kube::kPods.path(kNamespace, "");
  EXPECT_TRUE(world->server->ask(caller, "GET", path, nullptr));

  world->revoke();
  EXPECT_FALSE(world->server->ask(caller, "GET", path, nullptr));

  world->grant();
  EXPECT_TRUE(world->server->ask(caller, "GET", path, nullptr));
}

}  // namespace
}  // namespace holdfast::sim
