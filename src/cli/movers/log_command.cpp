#include "movers/log_command.h"

#include <holdfast/protect/server_log.h>

#include "movers/pod_work.h"

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void add_log_command(CLI::App& app, int& code) {
  CLI::App* command = app.add_subcommand(
      "put-log-back", "puts the log of a server beside its data; runs in the pod made for it");
  command->group("");
  command->callback([&code] {
    code = pod_work("HOLDFAST_LOG", [](std::string_view task, const std::stop_token&) {
      return protect::put_log_back(task);
    });
  });
}

}  // namespace holdfast::cli
