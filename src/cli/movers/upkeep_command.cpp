#include "movers/upkeep_command.h"

#include <holdfast/protect/upkeep.h>

#include "movers/pod_work.h"

#include <CLI/CLI.hpp>

namespace holdfast::cli {
namespace {

Result<int> upkeep(std::string_view text, std::stop_token stop) {
  const protect::UpkeepTask task = HF_TRY(protect::parse_upkeep_task(text));
  return protect::run_upkeep(task, {}, std::move(stop));
}

}  // namespace

void add_upkeep_command(CLI::App& app, int& code) {
  CLI::App* command = app.add_subcommand(
      "upkeep", "opens, checks or prunes one Repository; runs in the pod of the Job made for it");
  command->group("");
  command->callback([&code] { code = pod_work("HOLDFAST_UPKEEP", upkeep); });
}

}  // namespace holdfast::cli
