#include "engine-corrupt/judge.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::campaign {
namespace {

bool says(const std::vector<std::string>& wrongs, std::string_view what) {
  return std::any_of(wrongs.begin(), wrongs.end(), [what](const std::string& wrong) {
    return wrong.find(what) != std::string::npos;
  });
}

TEST(EngineJudge, MissesADamageThatIsNotThere) {
  World world(1);

  const auto wrongs = judge(world, {.what = "nothing", .names = {"nothing"}});

  EXPECT_EQ(wrongs.size(), 2U);
  EXPECT_TRUE(says(wrongs, "check finds nothing wrong"));
  EXPECT_TRUE(says(wrongs, "does not name the place"));
}

TEST(EngineJudge, SeesLossesThatTheCorruptionDoesNotExplain) {
  World world(1);
  const std::string pack = world.place(world.snapshots().back().files.front().needs.front()).name;
  world.store().drop(pack);
  const std::string id = pack.substr(pack.rfind('/') + 1);

  EXPECT_TRUE(says(judge(world, {.what = "a lie", .names = {id}}), "not touched, and lost"));
  EXPECT_TRUE(
      judge(world, {.what = "the truth", .touched = {{pack, 0, UINT64_MAX / 2}}, .names = {id}})
          .empty());
  // One of two is not both.
  Corruption both{.what = "two",
                  .touched = {{pack, 0, UINT64_MAX / 2}},
                  .names = {id, "another"},
                  .each_named = true};
  EXPECT_TRUE(says(judge(world, both), "does not name the place"));
}

}  // namespace
}  // namespace holdfast::campaign
