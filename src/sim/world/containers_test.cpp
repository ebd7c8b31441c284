#include "world/containers.h"

#include "world/ledger.h"
#include "world/world.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;

struct ContainersTest : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
    schedule = std::make_unique<Schedule>(world->clock, random);
    network = std::make_unique<Network>(*world->server, *world->history, *schedule);
    containers = std::make_unique<Containers>(*world->history, *schedule, *network, random, parts);
    containers->set_report([this](std::string oracle, std::string) { found.push_back(oracle); });
  }
  void create_ledger(const std::string& name, bool under_way) {
    const Caller admin = administrator("test");
    ASSERT_TRUE(world->server->ask(admin, "POST", kLedgers.path("default", ""),
                                   Object{{"apiVersion", kLedgers.api_version()},
                                          {"kind", kLedgers.kind},
                                          {"metadata", Object{{"name", name}}},
                                          {"spec", Object{{"entries", 1}}}}));
    if (under_way) {
      ASSERT_TRUE(world->server->ask(
          admin, "PATCH", kLedgers.path("default", name, "status"),
          Object{{"status",
                  Object{{"operations", Array{Object{{"name", "entry-1"}, {"attempt", 1}}}}}}},
          "application/merge-patch+json"));
    }
    world->history->catch_up();
  }
  // A command in a pod that is not there: what is asked first is whether it may be sent.
  void run_for(const std::string& ledger) {
    life.pass = ObjectPass{kLedgers, {"default", ledger}};
    static_cast<void>(containers->exec_of(life)->open({"default", "db", "main", ""},
                                                      {"sim", "lock"}, std::chrono::seconds(1)));
  }

  SeededRandom random{1};
  Parts parts;
  std::unique_ptr<World> world;
  std::unique_ptr<Schedule> schedule;
  std::unique_ptr<Network> network;
  std::unique_ptr<Containers> containers;
  Life life;
  std::vector<std::string> found;
};

TEST_F(ContainersTest, ACommandNeedsTheIntentOfTheObjectThatAsksForIt) {
  create_ledger("careful", true);
  create_ledger("careless", false);

  run_for("careful");
  EXPECT_TRUE(found.empty());
  run_for("careless");

  EXPECT_EQ(found, std::vector<std::string>{"effect-unrecorded"});
}

TEST_F(ContainersTest, ACommandOutsideOfAnyPassIsRecordedNowhere) {
  create_ledger("careful", true);

  static_cast<void>(containers->exec_of(life)->open({"default", "db", "main", ""}, {"sim", "lock"},
                                                    std::chrono::seconds(1)));

  EXPECT_EQ(found, std::vector<std::string>{"effect-unrecorded"});
}

}  // namespace
}  // namespace holdfast::sim
