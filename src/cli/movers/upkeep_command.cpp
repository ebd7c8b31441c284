#include "movers/upkeep_command.h"

#include <holdfast/protect/upkeep.h>

#include "movers/pod_work.h"

namespace holdfast::cli {
namespace {

Result<int> upkeep(std::string_view text, std::stop_token stop) {
  const protect::UpkeepTask task = HF_TRY(protect::parse_upkeep_task(text));
  return protect::run_upkeep(task, {}, std::move(stop));
}

}  // namespace

void add_upkeep_command(CLI::App& app, int& code) {
  add_pod_program(
      app,
      {.name = "upkeep",
       .help = "opens, checks or prunes one Repository; runs in the pod of the Job made "
               "for it",
       .variable = "HOLDFAST_UPKEEP",
       .work = upkeep},
      code);
}

}  // namespace holdfast::cli
