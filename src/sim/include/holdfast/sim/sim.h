/// The simulation: the real controllers against the real embedded API server in one thread, under a
/// seeded schedule and virtual time, with everything going wrong that can.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/sim/model.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

struct Options {
  std::string folder = "tests/scenarios";   ///< where NAME.yaml are
  std::vector<std::string> scenarios{};     ///< empty = all of the folder
  std::optional<uint64_t> seed{};           ///< of the one run to replay; with it, no others
  std::string faults_file{};                ///< faults of that run; "" = those of every run
  bool minimise = false;                    ///< shorten the fault list of the first failure
  bool stop_at_first = false;               ///< one failure is enough
  bool trace = false;                       ///< print every request and commit of the replayed run
  std::string failures = "build/sim";       ///< where fault files of failures are written
  uint64_t most_crash_points = 0;           ///< per scenario, spread evenly; 0 = all
  uint64_t most_storms = 0;                 ///< per scenario; 0 = as the scenario says
  std::string replay_command = "make sim";  ///< how a replay line begins
};

struct Failure {
  std::string scenario{}, oracle{}, text{};
  std::string replay{};  ///< the command that shows it again
};

struct Summary {
  uint64_t scenarios = 0, crash_points = 0, runs = 0;
  double runs_per_second = 0;  ///< of one core
  std::vector<Failure> failures{};
};

/// Names of a folder's scenarios, sorted; NotFound if there is none.
Result<std::vector<std::string>> scenarios_in(const std::string& folder);

/// Scenarios may name the drivers of `models`. Prints a line per scenario by `say`. An Error means
/// that nothing could be judged: a scenario that does not read, a world that does not start.
Result<Summary> simulate(const Options& options, Models models,
                         const std::function<void(const std::string&)>& say);

/// `sim: S scenarios, P crash points, R runs per second, V violations`
std::string to_text(const Summary& summary);

}  // namespace holdfast::sim
