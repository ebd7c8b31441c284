// `holdfast group`: groups of volumes cut, backed up, gone back to and brought back.
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/object_text.h>

#include "action_view.h"
#include "commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

constexpr const char* kRunCodes =
    "Exit codes: 0 done; 1 failed, with the reason; 2 usage; 3 done, but less consistent than the\n"
    "group asks for; 10 not found; 12 denied; 130 interrupted: the action goes on.";

struct RunOptions {
  ServerChoice server{};
  std::string group{}, output{};
  bool no_wait = false;
};

Result<int> run_action(const RunOptions& options, GroupAction action) {
  const bool json = HF_TRY(cli::wants_json(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  std::optional<std::string> name;
  {
    const cli::Interrupts interrupts("request recorded; it starts after the running action ends");
    name = HF_TRY(ask_group(*server, options.group, action, interrupts.token()));
  }
  if (!name) return codes::kInterrupted;
  if (!options.no_wait) return cli::see_to_the_end(*server, run_of(*server, *name, {}), json);
  fmt::print("{} created\n", cli::name_text(actions(), *name));
  return codes::kDone;
}

void add_run(CLI::App& app, GroupAction action, const std::string& help, int& code) {
  auto options = std::make_shared<RunOptions>();
  ServerChoice& server = options->server;
  CLI::App* command = cli::add_server_command(
      app, model::word(action), help, server,
      [options, action] { return run_action(*options, action); }, code);
  command->add_option("GROUP", options->group, "name of the VolumeGroup")->required();
  command->add_option("-o,--output", options->output, "json: the action as it ended");
  command->add_flag("--no-wait", options->no_wait, "wait only until the action has begun");
  command->footer(kRunCodes);
}

struct RemovalOptions {
  ServerChoice server{};
  std::string action{};
  bool yes = false, with_backup = false;
};

Result<int> remove(const RemovalOptions& options) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const FoundAction found = HF_TRY(read_action(*server, options.action));
  if (options.with_backup && found.typed.spec.action != GroupAction::Backup)
    return Error(Fault::Invalid, fmt::format("--with-backup: {} holds no backup", found.name));
  if (!cli::agreed(delete_plan(found, options.with_backup), options.yes)) return codes::kUsage;
  HF_TRY(delete_action(*server, found, options.with_backup));
  fmt::print("{} deleted\n", cli::name_text(actions(), found.name));
  return codes::kDone;
}

void add_removal(CLI::App& app, int& code) {
  auto options = std::make_shared<RemovalOptions>();
  ServerChoice& server = options->server;
  CLI::App* command = cli::add_server_command(
      app, "delete", "an action with its snapshots", server, [options] { return remove(*options); },
      code);
  command->add_option("ACTION", options->action, "name of the VolumeGroupAction")->required();
  command->add_flag("--with-backup", options->with_backup,
                    "remove the backup from its repository too");
  command->add_flag("--yes", options->yes, "carry it out; else only the plan is shown");
  command->footer(kCodes);
}

}  // namespace

void add_group_command(CLI::App& app, int& code) {
  CLI::App* group =
      app.add_subcommand("group", "groups of volumes: cut together, backed up, restored");
  group->require_subcommand(1);
  add_run(*group, GroupAction::Snapshot, "cuts all volumes of a group together", code);
  add_run(*group, GroupAction::Backup, "cuts and copies them into a repository", code);
  add_revert_command(*group, code);
  add_restore_command(*group, code);
  add_list_command(*group, code);
  add_describe_command(*group, code);
  add_logs_command(*group, code);
  add_removal(*group, code);
}

}  // namespace holdfast::drivers::volumegroup
