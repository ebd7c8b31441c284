// Campaign of a scenario: its runs, each in a child of the one world, and their ends compared with
// that of the run without faults.
#include <holdfast/base/child.h>
#include <holdfast/base/files.h>
#include <holdfast/base/text.h>
#include <holdfast/sim/sim.h>

#include "faults/minimise.h"
#include "run.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::sim {
namespace {

using Say = std::function<void(const std::string&)>;

Result<Scenario> load(const std::string& folder, const std::string& name, const Models& models) {
  const std::string text = HF_TRY(read_file(fmt::format("{}/{}.yaml", folder, name)));
  return scenario_from_yaml(name, text, models);
}

class Campaign {
 public:
  Campaign(const Options& options, World& world, Scenario scenario, Summary& summary, Say say)
      : options_(options),
        world_(world),
        scenario_(std::move(scenario)),
        summary_(summary),
        say_(std::move(say)) {}

  Result<void> go() {
    ++summary_.scenarios;
    const size_t failed_before = summary_.failures.size();
    const uint64_t runs_before = summary_.runs;
    calm_ = HF_TRY(play(scenario_.seed, {}, false));
    bool well = !judge(scenario_.seed, {}, calm_, false);
    extent_ = calm_.extent;
    if (well && !scenario_.faults.empty()) {
      const Ending troubled = HF_TRY(play(scenario_.seed, scenario_.faults, false));
      well = !judge(scenario_.seed, scenario_.faults, troubled, false);
      extent_ = troubled.extent;
    }
    uint64_t points = 0, storms = 0;
    if (well) {
      points = HF_TRY(cut_streams());
      points += HF_TRY(crash());
      storms = HF_TRY(storm());
    }
    summary_.crash_points += points;
    say_(fmt::format(
        "{:<26} {:>4} writes {:>5} requests {:>4} crash points {:>3} storms {:>5} runs  {}",
        scenario_.name, extent_.writes, calm_.requests, points, storms, summary_.runs - runs_before,
        summary_.failures.size() == failed_before
            ? "ok"
            : fmt::format("{} violations", summary_.failures.size() - failed_before)));
    return ok();
  }

  Result<void> replay(uint64_t seed, const std::vector<Mishap>& faults) {
    ++summary_.scenarios;
    calm_ = HF_TRY(play(scenario_.seed, {}, false));
    const Ending ending = HF_TRY(play(seed, faults, options_.trace));
    if (options_.trace) say_(ending.trace);
    judge(seed, faults, ending, true);
    say_(fmt::format("{:<24} seed {}, {} faults, {} writes, {} commits, {} steps: {}",
                     scenario_.name, seed, faults.size(), ending.extent.writes, ending.commits,
                     ending.steps, summary_.failures.empty() ? "ok" : "violated"));
    return ok();
  }

 private:
  Result<Ending> play(uint64_t seed, const std::vector<Mishap>& faults, bool trace) {
    ++summary_.runs;
    Result<std::string> text =
        run_in_child([&] { return to_text(run(world_, scenario_, seed, faults, trace)); });
    if (text) return ending_from_text(*text);
    Ending died;
    died.violations.push_back({"died", text.error().what()});
    return died;
  }

  // What only shows beside the run without faults.
  std::vector<Violation> verdict(const Ending& ending) const {
    std::vector<Violation> found = ending.violations;
    if (!found.empty()) return found;
    if (scenario_.same_end_state && ending.end_state != calm_.end_state)
      found.push_back({"end-state", first_difference(calm_.end_state, ending.end_state)});
    if (scenario_.same_counts && ending.counts != calm_.counts)
      found.push_back({"counts", first_difference(calm_.counts, ending.counts)});
    return found;
  }

  static std::string first_difference(const std::string& want, const std::string& got) {
    const auto a = split(want, '\n'), b = split(got, '\n');
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      const std::string_view x = i < a.size() ? a[i] : "", y = i < b.size() ? b[i] : "";
      if (x == y) continue;
      const size_t at =
          size_t(std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first - x.begin());
      const auto around = [at](std::string_view line) {
        const size_t from = std::min(line.size(), at > 60 ? at - 60 : 0);
        return line.substr(from, 160);
      };
      return fmt::format("{}\n  without faults: … {} …\n  here:           … {} …",
                         x.substr(0, x.find(' ')), around(x), around(y));
    }
    return "";
  }

  static std::string first_difference(const std::map<std::string, int64_t>& want,
                                      const std::map<std::string, int64_t>& got) {
    for (const auto* some : {&want, &got})
      for (const auto& [name, count] : *some) {
        const auto a = want.find(name), b = got.find(name);
        const int64_t x = a == want.end() ? 0 : a->second, y = b == got.end() ? 0 : b->second;
        if (x != y) return fmt::format("{}: {} without faults, {} here", name, x, y);
      }
    return "";
  }

  bool judge(uint64_t seed, const std::vector<Mishap>& faults, const Ending& ending,
             bool replayed) {
    const std::vector<Violation> found = verdict(ending);
    if (found.empty()) return false;
    std::vector<Mishap> shown = faults;
    if (options_.minimise && !faults.empty()) shown = shorter(seed, faults, found.front().oracle);
    Failure failure{scenario_.name, found.front().oracle, found.front().text, ""};
    failure.replay = replay_line(seed, shown, replayed && shown.size() == faults.size());
    say_(fmt::format("violated: {}: {}: {}\n  {}", failure.scenario, failure.oracle, failure.text,
                     failure.replay));
    if (options_.minimise && shown.size() < faults.size())
      say_(fmt::format("  {} of {} faults are needed:\n{}", shown.size(), faults.size(),
                       to_text(shown)));
    summary_.failures.push_back(std::move(failure));
    return true;
  }

  std::vector<Mishap> shorter(uint64_t seed, const std::vector<Mishap>& faults,
                              const std::string& oracle) {
    return minimise(faults, [&](const std::vector<Mishap>& fewer) {
      Result<Ending> ending = play(seed, fewer, false);
      if (!ending) return false;
      const auto found = verdict(*ending);
      return !found.empty() && found.front().oracle == oracle;
    });
  }

  std::string replay_line(uint64_t seed, const std::vector<Mishap>& faults, bool from_file) {
    std::string line =
        fmt::format("{} SCENARIO={} SEED={}", options_.replay_command, scenario_.name, seed);
    if (from_file && !options_.faults_file.empty()) return line + " FAULTS=" + options_.faults_file;
    const std::string file = fmt::format("{}/{}-{}-{}.yaml", options_.failures, scenario_.name,
                                         seed, summary_.failures.size() + 1);
    Result<void> written = make_folder(options_.failures, 0755);
    if (written) written = write_file(file, to_text(faults), 0644);
    if (!written) say_("the fault file could not be written: " + written.error().what());
    return line + " FAULTS=" + file;
  }

  bool enough() const { return options_.stop_at_first && !summary_.failures.empty(); }

  Result<uint64_t> crash() {
    if (!scenario_.crash_at_every_write) return 0;
    std::vector<Mishap> points;
    for (uint64_t k = 1; k <= extent_.writes; ++k)
      for (const Do how : {Do::CrashBeforeReply, Do::CrashAfterReply, Do::CrashBeforeWrite}) {
        if (how == Do::CrashBeforeWrite && !scenario_.crash_before_writes) continue;
        Mishap fault;
        fault.at = Mishap::At::Write;
        fault.number = k;
        fault.what = how;
        points.push_back(std::move(fault));
      }
    return try_each(points);
  }

  Result<uint64_t> cut_streams() {
    if (!scenario_.cut_every_stream) return 0;
    std::vector<Mishap> points;
    for (uint64_t k = 1; k <= extent_.streams; ++k)
      for (const uint64_t lines : {0, 1}) {
        Mishap fault;
        fault.at = Mishap::At::Stream;
        fault.number = k;
        fault.what = Do::CutStream;
        fault.pick = lines;
        points.push_back(std::move(fault));
      }
    return try_each(points);
  }

  Result<uint64_t> try_each(const std::vector<Mishap>& points) {
    const size_t most = options_.most_crash_points == 0
                            ? points.size()
                            : std::min<size_t>(points.size(), options_.most_crash_points);
    for (size_t i = 0; i < most && !enough(); ++i) {
      std::vector<Mishap> faults = scenario_.faults;
      faults.push_back(points[i * points.size() / most]);
      const Ending ending = HF_TRY(play(scenario_.seed, faults, false));
      judge(scenario_.seed, faults, ending, false);
    }
    return most;
  }

  Result<uint64_t> storm() {
    const uint64_t most = options_.most_storms == 0
                              ? scenario_.storms
                              : std::min(scenario_.storms, options_.most_storms);
    for (uint64_t i = 0; i < most && !enough(); ++i) {
      const uint64_t seed = scenario_.seed + 1 + i;
      SeededRandom random(seed * 1000003);
      std::vector<Mishap> faults = scenario_.faults;
      for (Mishap& fault : draw_faults(range(), extent_, random))
        faults.push_back(std::move(fault));
      const Ending ending = HF_TRY(play(seed, faults, false));
      judge(seed, faults, ending, false);
    }
    return most;
  }

  Range range() const {
    Range range;
    range.kinds = scenario_.storm_of;
    range.edits = scenario_.edits.size();
    range.operators = scenario_.operators;
    range.resources = scenario_.watched;
    range.recreatable = scenario_.recreatable;
    return range;
  }

  const Options& options_;
  World& world_;
  const Scenario scenario_;
  Summary& summary_;
  Say say_;
  Ending calm_;    ///< without faults
  Extent extent_;  ///< with those of every run
};

}  // namespace

Result<std::vector<std::string>> scenarios_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& path : matching_paths(folder + "/*.yaml"))
    names.push_back(std::filesystem::path(path).stem());
  if (names.empty()) return Error(Fault::NotFound, "no scenario in " + folder);
  return names;
}

Result<Summary> simulate(const Options& options, Models models, const Say& say) {
  Summary summary;
  std::vector<std::string> names = options.scenarios;
  if (names.empty()) names = HF_TRY(scenarios_in(options.folder));
  std::unique_ptr<World> world = HF_TRY(World::make(std::move(models)));
  const std::chrono::microseconds begun = cpu_time();
  for (const std::string& name : names) {
    Scenario scenario = HF_TRY(load(options.folder, name, world->models));
    std::vector<Mishap> faults = scenario.faults;
    const uint64_t seed = options.seed.value_or(scenario.seed);
    if (!options.faults_file.empty()) {
      const std::string text = HF_TRY(read_file(options.faults_file));
      faults = HF_TRY(faults_from_yaml(text));
    }
    Campaign campaign(options, *world, std::move(scenario), summary, say);
    if (options.seed || !options.faults_file.empty())
      HF_TRY(campaign.replay(seed, faults));
    else
      HF_TRY(campaign.go());
  }
  const double seconds = std::chrono::duration<double>(cpu_time() - begun).count();
  summary.runs_per_second = seconds > 0 ? double(summary.runs) / seconds : 0;
  return summary;
}

std::string to_text(const Summary& summary) {
  return fmt::format("sim: {} scenarios, {} crash points, {:.0f} runs per second, {} violations",
                     summary.scenarios, summary.crash_points, summary.runs_per_second,
                     summary.failures.size());
}

}  // namespace holdfast::sim
