#include "movers/mover_command.h"

#include <holdfast/protect/mover.h>

#include "movers/pod_work.h"

#include <CLI/CLI.hpp>

namespace holdfast::cli {
namespace {

Result<int> move(std::string_view text, std::stop_token stop) {
  const protect::MoveTask task = HF_TRY(protect::parse_move_task(text));
  return protect::run_mover(task, {}, std::move(stop));
}

}  // namespace

void add_mover_command(CLI::App& app, int& code) {
  CLI::App* command =
      app.add_subcommand("mover", "moves the data of one DataMove; runs in the pod made for it");
  command->callback([&code] { code = pod_work("HOLDFAST_MOVE", move); });
}

}  // namespace holdfast::cli
