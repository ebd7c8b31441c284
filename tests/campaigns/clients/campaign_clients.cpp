// Hostile clients: thousands of idle connections, halves of requests, garbage, watches that are
// never read, while good clients go on.
//   campaign_clients [--count N] [--seed N] [--server BINARY] [--work FOLDER] [--connections N]
//                    [--watchers N] [--events N] [--rss-mib N] [--patience SECONDS]
// The last line is `campaign clients: N rounds, M failed`.
#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>

#include "clients/rounds.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace holdfast;
  campaign::ClientsSettings settings;
  settings.seed = SystemRandom().below(1000000);
  if (const char* binary = std::getenv("HOLDFAST_BINARY")) settings.server = binary;
  int64_t patience = settings.patience.count();
  CLI::App app("hostile clients");
  app.add_option("--count", settings.count, "rounds");
  app.add_option("--seed", settings.seed, "of all that is drawn by chance");
  app.add_option("--server", settings.server, "the holdfast binary");
  app.add_option("--work", settings.work, "folder for the server's data")->required();
  app.add_option("--connections", settings.connections, "that are idle");
  app.add_option("--watchers", settings.watchers, "that never read");
  app.add_option("--events", settings.events, "written meanwhile");
  app.add_option("--rss-mib", settings.rss_mib, "the server's memory must stay below");
  app.add_option("--patience", patience, "seconds for slow watchers to be dropped; 0: need not be");
  CLI11_PARSE(app, argc, argv);
  settings.patience = std::chrono::seconds(patience);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::signal(SIGPIPE, SIG_IGN);
  const SystemClock clock;
  return campaign::run_clients(settings, clock) == 0 ? 0 : 1;
}
