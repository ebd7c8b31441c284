// `holdfast group revert` and `holdfast group restore`.
#include <holdfast/cli/object_text.h>
#include <holdfast/cli/refused.h>
#include <holdfast/cli/restoring.h>

#include "action_view.h"
#include "commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

constexpr const char* kRestoreCodes =
    "Exit codes: 0 done; 1 failed, with the reason: nothing was replaced then; 2 usage, or --yes "
    "is\n"
    "missing; 10 not found; 12 denied; 130 interrupted: it goes on.";

constexpr cli::SourceWords kSource{
    .noun = "group", .object = "ACTION", .into = "--into-action", .list = kList};

using Wish = VolumeGroupAction::Restore;

struct RestoreOptions {
  ServerChoice server{};
  std::string action{}, output{};
  cli::RestoreFlags restore{};
  cli::SourceFlags source{};
};

/// One that has something to give back, and is not at work.
Result<FoundAction> read_resting(Server& server, const std::string& name) {
  FoundAction found = HF_TRY(read_action(server, name));
  if (!at_rest(found.typed))
    return Error(Fault::Conflict, fmt::format("VolumeGroupAction {} is still at work: {}", name,
                                              stage_text(found.typed)))
        .with_hint(fmt::format("see: {} {} -n {}", kDescribe, name, found.ns));
  return found;
}

/// Asks the action for it, and follows that to its end.
Result<int> give_back(Server& server, const FoundAction& found, std::string_view label,
                      const std::optional<Wish>& wish, bool json) {
  HF_TRY(ask_action(server, found, label, wish));
  const int64_t before = found.typed.status.restores.value_or(0);
  return cli::see_to_the_end(
      server, run_of(server, found.name, {.restore = true, .restores_before = before}), json);
}

Result<int> revert(const RestoreOptions& options) {
  const bool json = HF_TRY(cli::wants_json(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const FoundAction found = HF_TRY(read_resting(*server, options.action));
  if (!cli::agreed(revert_plan(found, cli::volumes_now(*server)), options.restore.yes))
    return codes::kUsage;
  return give_back(*server, found, "revert", std::nullopt, json);
}

Result<int> restore_action(Server& server, const RestoreOptions& options, const Wish& wish,
                           bool json) {
  const FoundAction found = HF_TRY(read_resting(server, options.action));
  if (options.restore.replaces() &&
      !cli::agreed(replace_plan(found, wish.ns, cli::volumes_now(server)), options.restore.yes))
    return codes::kUsage;
  return give_back(server, found, "restore", wish, json);
}

/// By an action that is made for it, which finds the backup first.
Result<int> restore_found(Server& server, const RestoreOptions& options, const Wish& wish,
                          bool json) {
  const std::string group = cli::subject_of(options.source, server.ns());
  VolumeGroupAction action;
  action.spec.action = GroupAction::Backup;
  action.spec.source = HF_TRY(cli::source_of<VolumeGroupAction::Source>(options.source));
  action.spec.source->group = group;
  action.spec.restore = wish;
  const std::string plan = fmt::format(
      "restore of the backup of {}: claims of namespace {} that are in its way get new\n"
      "volumes; those that they have now are kept\n",
      group, wish.ns.empty() ? server.ns() : wish.ns);
  if (options.restore.replaces() && !cli::agreed(plan, options.restore.yes)) return codes::kUsage;
  const cli::NewName called{options.source.made,
                            fmt::format("{}-restore-", group.substr(group.find('/') + 1))};
  const auto made = cli::make_object(server, actions(), model::encode_object(action), called,
                                     {{kTrigger, "restore"}});
  if (!made) return cli::refused(server, actions(), made.error(), "make a VolumeGroupAction");
  fmt::print(stderr, "{} created\n", cli::name_text(actions(), *made));
  return cli::see_to_the_end(
      server, run_of(server, *made, {.restore = true, .restores_before = 0, .found_first = true}),
      json);
}

Result<int> restore(const RestoreOptions& options) {
  const bool json = HF_TRY(cli::wants_json(options.output));
  const Wish wish = HF_TRY(cli::restore_of<Wish>(options.restore));
  const bool found = HF_TRY(cli::names_source(options.source, options.action, kSource));
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
  command->footer(kRestoreCodes);
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
  command->add_flag("--yes", options->restore.yes, "carry it out; else only the plan is shown");
}

void add_restore_command(CLI::App& app, int& code) {
  auto options = std::make_shared<RestoreOptions>();
  CLI::App* command = add(app, "restore", "restores claims from a backup, under their own names",
                          options, restore, code);
  command->add_option("ACTION", options->action, "name of the VolumeGroupAction");
  cli::add_restore_flags(*command, options->restore);
  cli::add_source_flags(*command, options->source, kSource);
}

}  // namespace holdfast::drivers::volumegroup
