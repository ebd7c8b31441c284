// Cuts of volumes that are written to. On btrfs a counter goes round four volumes, each write
// synced before the next: a group's cut that shows one without those before it is a failed round.
// On btrfs and xfs every record that was acknowledged before a cut of one volume must be in it,
// none that was begun after it.
#include <holdfast/base/clock.h>

#include "provider/choose.h"
#include "volume-cuts/mounts.h"
#include "volume-cuts/records.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::suite {
namespace {

struct Score {
  int64_t rounds = 0, failed = 0;
};

Result<std::unique_ptr<volumes::Store>> store_on(const Mounted& mounted, const Clock& clock) {
  std::unique_ptr<volumes::Provider> provider =
      HF_TRY(volumes::choose_provider("auto", mounted.path() / "v"));
  return volumes::Store::open(mounted.path() / "v", std::move(provider), clock, {});
}

void cut_groups(volumes::Store& store, int64_t count, Score& score) {
  const Result<CutTally> tally = cut_while_writing(store, count);
  score.rounds += count;
  if (!tally) {
    fmt::print("group cuts: {}\n", tally.error().what());
    ++score.failed;
    return;
  }
  fmt::print("group cuts on {}: {} cuts, {} different, {} went backwards, {} lost a write\n",
             store.provider().name(), tally->rounds, tally->distinct, tally->backwards,
             tally->lost);
  score.failed += tally->backwards + tally->lost;
}

void cut_one(volumes::Store& store, int64_t count, Score& score) {
  const std::string wrong = cut_records(store, count, false);
  fmt::print("cuts of one volume on {}: {}\n", store.provider().name(),
             wrong.empty() ? fmt::format("{} cuts are whole", count) : wrong);
  score.rounds += count;
  score.failed += wrong.empty() ? 0 : 1;
}

int run(int64_t count) {
  const SystemClock clock;
  Score score;
  for (const char* kind : {"btrfs", "xfs"}) {
    const Mounted mounted(kind);
    if (!mounted.missing().empty()) {
      fmt::print("skipped: {}\n", mounted.missing());
      return 77;
    }
    const auto store = store_on(mounted, clock);
    if (!store) {
      fmt::print("error: {}\n", store.error().what());
      return 1;
    }
    if ((*store)->provider().cuts_groups()) cut_groups(**store, count, score);
    cut_one(**store, count, score);
  }
  fmt::print("campaign volume-cuts: {} rounds, {} failed\n", score.rounds, score.failed);
  return score.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace holdfast::suite

int main(int argc, char** argv) {
  CLI::App app("cuts of volumes that are written to", "campaign_volume-cuts");
  int64_t count = 20;
  std::string ignored;
  app.add_option("--count", count, "cuts of each kind")->capture_default_str();
  app.add_option("--server", ignored, "not needed");
  app.add_option("--work", ignored,
                 "not needed: the file systems lie in the folder of temporary files");
  CLI11_PARSE(app, argc, argv);
  return holdfast::suite::run(count);
}
