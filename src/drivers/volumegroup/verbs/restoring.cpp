// `holdfast group revert` and `holdfast group restore`.
#include <holdfast/cli/object_text.h>

#include "commands.h"
#include "following.h"
#include "plans.h"
#include "restore_spec.h"
#include "triggering.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

constexpr const char* kCodes =
    "Exit codes: 0 done; 1 failed, with the reason: nothing was replaced then; 2 usage, or --yes "
    "is\n"
    "missing; 10 not found; 12 denied; 130 interrupted: it goes on.";

struct RestoreOptions {
  ServerChoice server{};
  std::string action{}, new_action{}, output{};
  RestoreFlags restore{};
  SourceFlags source{};
  bool yes = false;
};

/// One that has something to give back, and is not at work.
Result<FoundAction> read_resting(Server& server, const std::string& name) {
  FoundAction found = HF_TRY(read_action(server, name));
  if (!at_rest(found.action))
    return Error(Fault::Conflict, fmt::format("VolumeGroupAction {} is still at work: {}", name,
                                              stage_text(found.action)))
        .with_hint(fmt::format("see: holdfast group describe {} -n {}", name, found.ns));
  return found;
}

Result<int> revert(const RestoreOptions& options) {
  const bool json = HF_TRY(cli::wants_json(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const FoundAction found = HF_TRY(read_resting(*server, options.action));
  if (!cli::agreed(revert_plan(found, volumes_now(*server)), options.yes)) return codes::kUsage;
  HF_TRY(ask_action(*server, found, "revert", std::nullopt));
  const ActionGoal goal{.restore = true,
                        .restores_before = found.action.status.restores.value_or(0)};
  return see_to_the_end(*server, found.name, goal, json);
}

bool replaces(const VolumeGroupAction::Restore& wish) {
  return wish.conflict == VolumeGroupAction::Conflict::Replace;
}

Result<int> restore_action(Server& server, const RestoreOptions& options,
                           const VolumeGroupAction::Restore& wish, bool json) {
  const FoundAction found = HF_TRY(read_resting(server, options.action));
  if (replaces(wish) && !cli::agreed(replace_plan(found, wish, volumes_now(server)), options.yes))
    return codes::kUsage;
  HF_TRY(ask_action(server, found, "restore", wish));
  const ActionGoal goal{.restore = true,
                        .restores_before = found.action.status.restores.value_or(0)};
  return see_to_the_end(server, found.name, goal, json);
}

/// By an action that is made for it, which finds the backup first.
Result<int> restore_found(Server& server, const RestoreOptions& options,
                          const VolumeGroupAction::Restore& wish, bool json) {
  VolumeGroupAction action;
  action.spec.action = GroupAction::Backup;
  action.spec.source = HF_TRY(source_of(options.source, server.ns()));
  action.spec.restore = wish;
  const std::string& group = action.spec.source->group;
  const std::string plan = fmt::format(
      "restore of the backup of {}: claims of namespace {} that are in its way get new\n"
      "volumes; those that they have now are kept\n",
      group, wish.ns.empty() ? server.ns() : wish.ns);
  if (replaces(wish) && !cli::agreed(plan, options.yes)) return codes::kUsage;
  const std::string name =
      HF_TRY(make_action(server, action, options.new_action,
                         fmt::format("{}-restore-", group.substr(group.find('/') + 1)), "restore"));
  fmt::print(stderr, "volumegroupaction.longhorn.io/{} created\n", name);
  return see_to_the_end(server, name, {.restore = true, .restores_before = 0, .found_first = true},
                        json);
}

Result<int> restore(const RestoreOptions& options) {
  const bool json = HF_TRY(cli::wants_json(options.output));
  const VolumeGroupAction::Restore wish = HF_TRY(restore_of(options.restore));
  const bool found = !options.source.group.empty();
  if (found == !options.action.empty())
    return Error(Fault::Invalid, "name an ACTION, or a group with --from")
        .with_hint("holdfast group list, or holdfast group list --location NAME, shows them");
  if (!found && !(options.source.location + options.source.id + options.source.before +
                  options.source.repository + options.new_action)
                     .empty())
    return Error(Fault::Invalid,
                 "--location, --id, --before, --repository and --into-action are of --from");
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  return found ? restore_found(*server, options, wish, json)
               : restore_action(*server, options, wish, json);
}

CLI::App* add(CLI::App& app, const std::string& name, const std::string& help,
              const std::shared_ptr<RestoreOptions>& options,
              Result<int> (*work)(const RestoreOptions&), int& code) {
  ServerChoice& server = options->server;
  CLI::App* command = cli::add_server_command(
      app, name, help, server, [options, work] { return work(*options); }, code);
  command->add_option("-o,--output", options->output, "json: the action as it ended");
  command->footer(kCodes);
  return command;
}

}  // namespace

void add_revert_command(CLI::App& app, int& code) {
  auto options = std::make_shared<RestoreOptions>();
  CLI::App* command =
      add(app, "revert",
          "claims back to the snapshots of an action; the volumes that they have now "
          "are kept",
          options, revert, code);
  command->add_option("ACTION", options->action, "name of the VolumeGroupAction")->required();
  command->add_flag("--yes", options->yes, "carry it out; else only the plan is shown");
}

void add_restore_command(CLI::App& app, int& code) {
  auto options = std::make_shared<RestoreOptions>();
  CLI::App* command = add(app, "restore", "restores claims from a backup, under their own names",
                          options, restore, code);
  command->add_option("ACTION", options->action, "name of the VolumeGroupAction");
  command->add_option("--into", options->restore.into, "namespace; default: the original one");
  command->add_option("--conflict", options->restore.conflict, "policy for existing claims")
      ->check(CLI::IsMember({"Fail", "Rename", "Replace"}))
      ->capture_default_str();
  command->add_option("--suffix", options->restore.suffix, "suffix for Rename; default: -restored");
  command
      ->add_option("--storage-class", options->restore.storage_classes,
                   "OLD=NEW: a class of the backup by its name here; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--yes", options->yes, "with --conflict Replace: carry it out");
  SourceFlags& source = options->source;
  command->add_option("--from", source.group,
                      "in place of ACTION: the group, NAME or NAMESPACE/NAME, of a backup that a "
                      "repository holds");
  command->add_option("--location", source.location, "with --from; default: the default location");
  command->add_option("--id", source.id, "with --from: id of the backup; default: the newest");
  command->add_option("--before", source.before,
                      "with --from: the newest that is not younger: 2026-01-02T03:04:05Z, or "
                      "2026-01-02 03:04:05 of this machine");
  command->add_option("--repository", source.repository,
                      "with --from: namespace of the repository; another only for admins");
  command->add_option("--into-action", options->new_action,
                      "with --from: name of the new action; default: generated");
}

}  // namespace holdfast::drivers::volumegroup
