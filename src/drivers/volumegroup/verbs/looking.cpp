// `holdfast group list`, `describe` and `logs`: what there is, and what became of it.
#include <holdfast/cli/describe.h>
#include <holdfast/cli/listing.h>
#include <holdfast/cli/moves.h>

#include "action_view.h"
#include "commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <set>

namespace holdfast::drivers::volumegroup {
namespace {

struct ListOptions {
  ServerChoice server{};
  cli::ListFlags flags{};
  cli::CatalogueChoice choice{.noun = "group", .tag = "vg"};
};

Result<int> list(const ListOptions& options) {
  const cli::OutputForm form = HF_TRY(cli::output_form(options.flags.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  if (!options.choice.location.empty())
    return cli::list_catalogues(*server, options.flags, form, options.choice);
  const bool all = options.flags.all_namespaces;
  const std::string& group = options.choice.subject;
  const std::vector<FoundAction> found =
      HF_TRY(list_actions(*server, all ? std::string() : server->ns(), group));
  // Actions outlive their group; only a name that has neither is a mistake.
  if (found.empty() && !group.empty() && !all) HF_TRY(read_group(*server, group));
  std::vector<cli::Listed> listed;
  for (const FoundAction& each : found)
    listed.push_back({each.object, action_row(each, server->clock().now())});
  cli::print_list(*server, options.flags, form, actions(), "actions",
                  {"NAME", "GROUP", "ACTION", "STATE", "CONSISTENCY", "SIZE", "AGE"}, listed);
  return codes::kDone;
}

/// What a snapshot or backup would do, asked of the operator itself.
Result<int> show_dry_run(Server& server, const std::string& group, const std::string& action) {
  VolumeGroupAction wanted;
  wanted.spec.group = group;
  wanted.spec.action = action == "backup" ? GroupAction::Backup : GroupAction::Snapshot;
  wanted.spec.dry_run = true;
  const std::optional<model::Value> ended =
      HF_TRY(cli::try_out(server, run_of(server, "", {}), model::encode_object(wanted),
                          fmt::format("{}-dry-run-", group)));
  if (!ended) return codes::kInterrupted;
  const FoundAction found = HF_TRY(cli::to_found<VolumeGroupAction>(*ended));
  if (found.typed.status.inputs) fmt::print("\n{}", cli::inputs_text(*found.typed.status.inputs));
  return cli::tell_trial("a " + action, end_of(found, {}));
}

struct DescribeOptions {
  ServerChoice server{};
  std::string name{}, dry_run{};
};

/// "vg/db", "vga/db-snapshot-1" or the name alone, which is looked for as both.
Result<int> describe(const DescribeOptions& options) {
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
  const FoundAction found = HF_TRY(read_action(*server, name));
  if (!options.dry_run.empty())
    return Error(Fault::Invalid, "--dry-run is of groups, not of actions")
        .with_hint("see: holdfast get volumegroups");
  fmt::print("{}", cli::object_description(*server, found.object, described_kinds()));
  return codes::kDone;
}

struct LogOptions {
  ServerChoice server{};
  std::string name{};
  int64_t tail = -1;
};

Result<int> show_logs(const LogOptions& options) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const FoundAction found = HF_TRY(read_action(*server, options.name));
  // Its data moves are with it; of a run of an earlier release they are with its claims.
  std::set<std::string> namespaces{found.ns};
  if (found.typed.status.inputs) namespaces.insert(found.typed.status.inputs->ns);
  cli::show_logs(*server, found.object, namespaces, fmt::format("{}={}", kActionLabel, found.uid),
                 options.tail);
  return codes::kDone;
}

}  // namespace

void add_list_command(CLI::App& group, int& code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      group.add_subcommand("list", "actions of groups; with --location, backups in a bucket");
  command->add_option("GROUP", options->choice.subject, "name of a VolumeGroup");
  cli::add_location_flags(*command, options->choice);
  cli::add_list_flags(*command, options->flags);
  cli::add_server_options(*command, options->server);
  command->footer(
      "Exit codes: 0 done, 1 failed, 2 usage, 3 not all could be read, 10 not found, 12 denied.");
  command->callback([options, &code] {
    const Result<int> done = list(*options);
    code = done ? *done : cli::end_with(done.error());
  });
}

void add_describe_command(CLI::App& group, int& code) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = cli::add_server_command(
      group, "describe", "a group, or an action with its steps", options->server,
      [options] { return describe(*options); }, code);
  command->footer(kCodes);
  command->add_option("NAME", options->name, "name of a group or action; or vg/NAME, vga/NAME")
      ->required();
  command
      ->add_option("--dry-run", options->dry_run,
                   "show what a snapshot or backup of the group would do")
      ->check(CLI::IsMember({"snapshot", "backup"}));
}

void add_logs_command(CLI::App& group, int& code) {
  auto options = std::make_shared<LogOptions>();
  CLI::App* command = cli::add_server_command(
      group, "logs", "events of an action, and the logs of its movers", options->server,
      [options] { return show_logs(*options); }, code);
  command->footer(kCodes);
  command->add_option("ACTION", options->name, "name of the VolumeGroupAction")->required();
  command->add_option("--tail", options->tail, "number of lines of each log; -1: all")
      ->capture_default_str();
}

}  // namespace holdfast::drivers::volumegroup
