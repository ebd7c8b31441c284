// Verbs of volume groups: commands, descriptions, pod programs.
#include <holdfast/protect/cut/server_log.h>

#include "commands.h"

namespace holdfast::drivers::volumegroup {
namespace {

cli::PodProgram log_program() {
  return {.name = "put-log-back",
          .help = "restores the log of a server next to its data; runs in a pod of the operator",
          .variable = "HOLDFAST_LOG",
          .work = [](std::string_view task, const std::stop_token&) {
            return protect::put_log_back(task);
          }};
}

}  // namespace

/// Found by its name, as list.def has it.
cli::Verbs verbs() {
  return {.driver = "volumegroup",
          .add_commands = add_group_command,
          .described = described_kinds(),
          .programs = {log_program()}};
}

}  // namespace holdfast::drivers::volumegroup
