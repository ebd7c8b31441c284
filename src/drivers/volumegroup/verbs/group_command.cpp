// `holdfast group`: groups of volumes cut, backed up, gone back to and brought back.
#include <holdfast/cli/describe.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/object_text.h>
#include <holdfast/kube/typed.h>

#include "commands.h"
#include "following.h"
#include "plans.h"
#include "triggering.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

constexpr const char* kRunCodes =
    "Exit codes: 0 done; 1 failed, with the reason; 2 usage; 3 done, but less consistent than the\n"
    "group asks for; 10 not found; 12 denied; 130 interrupted: the action goes on.";
constexpr const char* kCodes = "Exit codes: 0 done, 1 failed, 2 usage, 10 not found, 12 denied.";

struct GroupOptions {
  ServerChoice server{};
  std::string name{}, output{}, dry_run{};
  bool yes = false, no_wait = false, with_backup = false;
  int64_t tail = -1;
};

Result<int> run_action(const GroupOptions& options, GroupAction action) {
  const bool json = HF_TRY(cli::wants_json(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  std::optional<std::string> name;
  {
    const cli::Interrupts interrupts("request recorded; it starts after the running action ends");
    name = HF_TRY(ask_group(*server, options.name, action, interrupts.token()));
  }
  if (!name) return codes::kInterrupted;
  if (options.no_wait) {
    fmt::print("volumegroupaction.longhorn.io/{} created\n", *name);
    return 0;
  }
  return see_to_the_end(*server, *name, {}, json);
}

Result<int> remove(const GroupOptions& options) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const FoundAction found = HF_TRY(read_action(*server, options.name));
  if (options.with_backup && found.action.spec.action != GroupAction::Backup)
    return Error(Fault::Invalid, fmt::format("--with-backup: {} holds no backup", found.name));
  if (!cli::agreed(delete_plan(found, options.with_backup), options.yes)) return codes::kUsage;
  if (options.with_backup) HF_TRY(let_backup_go(*server, found));
  HF_TRY(delete_action(*server, found.name, found.uid));
  fmt::print("volumegroupaction.longhorn.io/{} deleted\n", found.name);
  return 0;
}

/// "vg/db", "vga/db-snapshot-1" or the name alone, which is looked for as both.
Result<int> describe(const GroupOptions& options) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  std::string name = options.name;
  const size_t slash = name.find('/');
  const std::string kind = slash == name.npos ? "" : name.substr(0, slash);
  if (slash != name.npos) name = name.substr(slash + 1);
  const bool only_group = kind == "vg" || kind.starts_with("volumegroup.") || kind == "volumegroup";
  if (!kind.empty() && !only_group && kind != "vga" && !kind.starts_with("volumegroupaction"))
    return Error(Fault::Invalid, fmt::format("{}: not vg/NAME or vga/NAME", options.name));
  if (kind.empty() || only_group) {
    Result<model::Value> group = read_group(*server, name);
    if (group) {
      fmt::print("{}", cli::object_description(*server, *group, described_kinds()));
      return options.dry_run.empty() ? 0 : show_dry_run(*server, name, options.dry_run);
    }
    if (only_group || group.error().fault() != Fault::NotFound) return group.take_error();
  }
  if (!options.dry_run.empty())
    return Error(Fault::Invalid, "--dry-run is of groups, not of actions")
        .with_hint("see: holdfast get volumegroups");
  const FoundAction found = HF_TRY(read_action(*server, name));
  fmt::print("{}", cli::object_description(*server, found.object, described_kinds()));
  return 0;
}

using Work = std::function<Result<int>(const GroupOptions&)>;

CLI::App* add(CLI::App& app, const std::string& name, const std::string& help,
              const std::shared_ptr<GroupOptions>& options, Work work, int& code) {
  ServerChoice& server = options->server;
  CLI::App* command = cli::add_server_command(
      app, name, help, server, [options, work = std::move(work)] { return work(*options); }, code);
  command->footer(kCodes);
  return command;
}

void add_run(CLI::App& app, GroupAction action, const std::string& help, int& code) {
  auto options = std::make_shared<GroupOptions>();
  CLI::App* command = add(
      app, model::word(action), help, options,
      [action](const GroupOptions& chosen) { return run_action(chosen, action); }, code);
  command->add_option("GROUP", options->name, "name of the VolumeGroup")->required();
  command->add_option("-o,--output", options->output, "json: the action as it ended");
  command->add_flag("--no-wait", options->no_wait, "wait only until the action has begun");
  command->footer(kRunCodes);
}

void add_list(CLI::App& app, int& code) {
  CLI::App* command =
      app.add_subcommand("list", "actions of groups; with --location, backups in a bucket");
  auto options = std::make_shared<ListOptions>();
  command->add_option("GROUP", options->group, "name of a VolumeGroup");
  command->add_option("--location", options->location,
                      "backups in a BackupLocation, NAME or NAMESPACE/NAME, also those of clusters "
                      "that are gone");
  command->add_option("--limit", options->limit, "with --location: maximum number of backups")
      ->capture_default_str()
      ->check(CLI::Range(1, 200));
  command->add_flag("-A,--all-namespaces", options->all_namespaces, "actions of all namespaces");
  command->add_option("-o,--output", options->output, "output format: name, json or yaml");
  command->add_flag("--no-headers", options->no_headers, "rows only");
  cli::add_server_options(*command, options->server);
  command->footer(
      "Exit codes: 0 done, 1 failed, 2 usage, 3 not all could be read, 10 not found, 12 denied.");
  command->callback([options, &code] {
    const Result<int> done =
        options->location.empty() ? list_group_actions(*options) : list_location(*options);
    code = done ? *done : cli::end_with(done.error());
  });
}

void add_looks(CLI::App& app, int& code) {
  auto described = std::make_shared<GroupOptions>();
  CLI::App* describing =
      add(app, "describe", "a group, or an action with its steps", described, describe, code);
  describing->add_option("NAME", described->name, "name of a group or action; or vg/NAME, vga/NAME")
      ->required();
  describing
      ->add_option("--dry-run", described->dry_run,
                   "show what a snapshot or backup of the group would do")
      ->check(CLI::IsMember({"snapshot", "backup"}));
  auto told = std::make_shared<GroupOptions>();
  CLI::App* logs = add(
      app, "logs", "events of an action, and the logs of its movers", told,
      [](const GroupOptions& chosen) {
        return show_action_logs(chosen.server, chosen.name, chosen.tail);
      },
      code);
  logs->add_option("ACTION", told->name, "name of the VolumeGroupAction")->required();
  logs->add_option("--tail", told->tail, "number of lines of each log; -1: all")
      ->capture_default_str();
}

void add_removal(CLI::App& app, int& code) {
  auto options = std::make_shared<GroupOptions>();
  CLI::App* command = add(app, "delete", "an action with its snapshots", options, remove, code);
  command->add_option("ACTION", options->name, "name of the VolumeGroupAction")->required();
  command->add_flag("--with-backup", options->with_backup,
                    "remove the backup from its repository too");
  command->add_flag("--yes", options->yes, "carry it out; else only the plan is shown");
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
  add_list(*group, code);
  add_looks(*group, code);
  add_removal(*group, code);
}

}  // namespace holdfast::drivers::volumegroup
