// holdfast-sim: runs the scenarios of tests/scenarios, or replays one run of one of them.
#include <holdfast/base/log.h>
#include <holdfast/control/sabotage.h>
#include <holdfast/drivers/models.h>
#include <holdfast/sim/sim.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace {

using holdfast::sim::Options;

#ifdef HOLDFAST_SABOTAGE
bool switch_off(const std::string& part) {
  holdfast::control::Sabotage& sabotage = holdfast::control::sabotage();
  if (part == "gate") sabotage.no_gate = true;
  if (part == "uid") sabotage.no_uid = true;
  if (part == "fence") sabotage.no_fence = true;
  if (part == "intent") sabotage.no_intent = true;
  if (part == "owed") sabotage.no_owed = true;
  if (part == "holders") sabotage.no_holders = true;
  if (part == "guard") sabotage.no_guard = true;
  if (part == "try") sabotage.no_try = true;
  if (part == "names") sabotage.no_names = true;
  if (part == "member") sabotage.no_member = true;
  if (part == "trailer") sabotage.no_trailer = true;
  if (part == "available") sabotage.no_available = true;
  if (part == "pods-first") sabotage.no_pods_first = true;
  if (part == "frozen") sabotage.no_frozen = true;
  if (part == "readback") sabotage.no_readback = true;
  if (part == "owner") sabotage.no_owner = true;
  return true;
}
#endif

int run(const Options& options) {
  const auto say = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  const auto summary = holdfast::sim::simulate(options, holdfast::drivers::models(), say);
  if (!summary) {
    fmt::print(stderr, "error: {}\n", summary.error().what());
    return 2;
  }
  say(holdfast::sim::to_text(*summary));
  return summary->failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("simulates the controllers on the embedded API server", "holdfast-sim");
  uint64_t seed = 0;
  app.add_option("scenarios", options.scenarios, "names; all of the folder by default");
  app.add_option("--folder", options.folder, "where NAME.yaml is");
  auto* seeded = app.add_option("--seed", seed, "replay the one run of this seed");
  app.add_option("--faults", options.faults_file, "with the faults of this file");
  app.add_flag("--minimise", options.minimise, "shorten the fault lists of failures");
  app.add_flag("--first", options.stop_at_first, "stop at the first failure");
  app.add_flag("--trace", options.trace, "print every request and commit of the replayed run");
  app.add_option("--failures", options.failures, "folder for the fault files of failures");
  app.add_option("--crash-points", options.most_crash_points, "at most, per scenario");
  app.add_option("--storms", options.most_storms, "at most, per scenario");
#ifdef HOLDFAST_SABOTAGE
  std::string part;
  app.add_option("--without", part, "a part of the runtime to switch off")
      ->check(CLI::IsMember({"gate", "uid", "fence", "intent", "owed", "holders", "guard", "try",
                             "names", "member", "trailer", "available", "pods-first", "frozen",
                             "readback", "owner"}));
#endif
  CLI11_PARSE(app, argc, argv);
  if (*seeded) options.seed = seed;
#ifdef HOLDFAST_SABOTAGE
  switch_off(part);
#endif
  holdfast::log::set_level(holdfast::log::Level::Off);
  return run(options);
}
