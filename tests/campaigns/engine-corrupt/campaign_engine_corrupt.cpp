// Corruptions of a stored repository, drawn by chance, each on the whole one.
//   campaign_engine-corrupt [--count N] [--seed N]
// Each must be seen and named by check, and every file that it does not touch must come back; no
// file may ever come back with other bytes. A failed round prints its seed, which --seed repeats
// with --count 1. The last line is `campaign engine-corrupt: N rounds, M failed`.
#include "engine-corrupt/judge.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>

int main(int argc, char** argv) {
  using namespace holdfast;
  int count = 100;
  uint64_t seed = SystemRandom().below(1000000);
  std::string unused;
  CLI::App app("corruptions of a repository");
  app.add_option("--count", count, "rounds");
  app.add_option("--seed", seed, "of the first round");
  app.add_option("--server", unused, "not needed here");
  app.add_option("--work", unused, "not needed here");
  CLI11_PARSE(app, argc, argv);
  // A world serves many rounds; which one belongs to the seed, so that a round can be had again.
  constexpr uint64_t kRoundsPerWorld = 200;
  std::optional<campaign::World> world;
  uint64_t world_seed = 0;
  int failed = 0;
  for (int round = 0; round < count; ++round, ++seed) {
    if (!world || world_seed != seed / kRoundsPerWorld)
      world.emplace(world_seed = seed / kRoundsPerWorld);
    SeededRandom chance(seed);
    world->store().reset();
    const campaign::Corruption corruption = campaign::corrupt(*world, chance);
    const std::vector<std::string> wrongs = campaign::judge(*world, corruption);
    if (wrongs.empty()) continue;
    ++failed;
    std::printf("seed %lu: %s\n", seed, corruption.what.c_str());
    for (const std::string& wrong : wrongs) std::printf("  %s\n", wrong.c_str());
  }
  std::printf("campaign engine-corrupt: %d rounds, %d failed\n", count, failed);
  return failed == 0 ? 0 : 1;
}
