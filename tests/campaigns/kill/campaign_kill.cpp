// kill -9 under write load, again and again on one data folder.
//   campaign_kill [--count N] [--seed N] [--server BINARY] [--work FOLDER]
// Each round loads the server with writers, watchers and listers, kills it at a random moment,
// starts it again and lets the judge (kill/history.h) compare. A failed round prints what is wrong;
// the data folder is then kept. The last line is `campaign kill: N rounds, M failed`.
#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>

#include "kill/history.h"
#include "kill/rounds.h"
#include "server_process.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

int main(int argc, char** argv) {
  using namespace holdfast;
  campaign::KillSettings settings;
  settings.seed = SystemRandom().below(1000000);
  if (const char* binary = std::getenv("HOLDFAST_BINARY")) settings.server = binary;
  CLI::App app("kill -9 under write load");
  app.add_option("--count", settings.count, "rounds");
  app.add_option("--seed", settings.seed, "of all that is drawn by chance");
  app.add_option("--server", settings.server, "the holdfast binary");
  app.add_option("--work", settings.work, "folder for the server's data")->required();
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const SystemClock clock;
  return campaign::run_kill(settings, clock) == 0 ? 0 : 1;
}
