/// One run: a world, a scenario, a seed and a list of faults, from the first step of the workload
/// to the last look at what became of it.
#pragma once

#include "faults/faults.h"
#include "oracles/judge.h"
#include "scenario.h"
#include "world/world.h"

#include <map>
#include <string>
#include <vector>

namespace holdfast::sim {

struct Ending {
  std::vector<Violation> violations{};
  Extent extent{};
  uint64_t commits = 0, steps = 0;
  uint64_t requests = 0;  ///< until all was quiet
  std::string end_state{};
  std::map<std::string, int64_t> counts{};
  std::string trace{};  ///< one line per request and commit, if asked for
};

/// Uses the world up: call it in a child process.
Ending run(World& world, const Scenario& scenario, uint64_t seed, const std::vector<Mishap>& faults,
           bool trace);

std::string to_text(const Ending& ending);
Result<Ending> ending_from_text(std::string_view text);

}  // namespace holdfast::sim
