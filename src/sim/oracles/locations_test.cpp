#include "oracles/locations.h"

#include <holdfast/model/time.h>

#include "world/world.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;
using model::Object;
using model::Value;

constexpr const char *kFirst = "2026-01-01T00:01:00Z", *kSecond = "2026-01-01T00:02:00Z";

struct LocationsTest : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
  }
  static ObjectPtr location(const char* tried, const char* phase = "Available") {
    return std::make_shared<const Value>(
        Object{{"status", Object{{"lastChecked", tried}, {"phase", phase}}}});
  }
  Commit commit(ObjectPtr before, ObjectPtr after) const {
    Commit out;
    out.kind = before ? Commit::Kind::Changed : Commit::Kind::Created;
    out.resource = world->history->index_of("backuplocations");
    out.key = {"default", "here"};
    out.before = std::move(before);
    out.object = std::move(after);
    return out;
  }
  std::unique_ptr<World> world;
};

TEST_F(LocationsTest, ATryThatChangesNothingIsABeatOnceAMinute) {
  Beats beats(*world->history);
  const Commit same = commit(location(kFirst), location(kSecond));

  EXPECT_TRUE(beats.is_one(same, 60s));
  EXPECT_FALSE(beats.is_one(same, 90s)) << "too soon";
  EXPECT_TRUE(beats.is_one(same, 150s));
}

TEST_F(LocationsTest, WhatElseChangesIsNoBeat) {
  Beats beats(*world->history);

  EXPECT_FALSE(beats.is_one(commit(location(kFirst, "Unavailable"), location(kSecond)), 60s));
  EXPECT_FALSE(beats.is_one(commit(location(kFirst), location(kFirst)), 180s));
  EXPECT_FALSE(beats.is_one(commit(nullptr, location(kFirst)), 300s));
}

TEST_F(LocationsTest, ABucketThatWasAwayCannotHaveAnswered) {
  const Commit well = commit(location(kFirst), location(kSecond));
  const auto judged = [&](const Commit& each, const char* away) {
    return judge_location(*world->history, each, model::parse_rfc3339(away));
  };

  ASSERT_TRUE(judged(well, kFirst));
  EXPECT_EQ(judged(well, kFirst)->oracle, "untrue");
  EXPECT_FALSE(judge_location(*world->history, well, std::nullopt));
  EXPECT_FALSE(judged(well, "2026-01-01T00:02:01Z")) << "it went away afterwards";
  EXPECT_FALSE(judged(commit(location(kFirst), location(kSecond, "Unavailable")), kFirst));
  EXPECT_FALSE(judged(commit(location(kFirst), location(kFirst)), kFirst)) << "nothing new is said";
}

}  // namespace
}  // namespace holdfast::sim
