/// World with a kubelet, its storage and a bucket, for tests of what pods do there.
#pragma once

#include "world/kubelet.h"
#include "world/pod_work.h"
#include "world/world.h"

#include <gtest/gtest.h>

#include <optional>

namespace holdfast::sim {

struct WorldOfPods : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
    schedule.emplace(world->clock, random);
    network.emplace(*world->server, *world->history, *schedule);
    bucket.emplace(*network);
    work.emplace(*schedule, *bucket);
    storage.emplace(*world->server, *world->history, world->clock, random, parts);
    kubelet.emplace(*world->server, *world->history, world->clock, random, *storage, parts, *work);
    schedule->add(*kubelet);
    schedule->add(*storage);
  }
  void send(const char* method, const std::string& path, const model::Value& body) {
    const auto answer = world->server->ask(
        administrator("test"), method, path, body,
        method == std::string_view("PATCH") ? "application/merge-patch+json" : "application/json");
    ASSERT_TRUE(answer) << answer.error().what();
    world->history->catch_up();
  }
  void play(MonoTime lasts = std::chrono::minutes(2)) {
    const MonoTime end = world->clock.mono() + lasts;
    while (schedule->step() || schedule->jump(end)) {
    }
  }

  SeededRandom random{1};
  Parts parts;
  std::unique_ptr<World> world;
  std::optional<Schedule> schedule;
  std::optional<Network> network;
  std::optional<Bucket> bucket;
  std::optional<PodWork> work;
  std::optional<Storage> storage;
  std::optional<Kubelet> kubelet;
};

}  // namespace holdfast::sim
