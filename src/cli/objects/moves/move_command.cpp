// `holdfast move`: data moves made, watched and ended.
#include <holdfast/cli/asking.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/refused.h>
#include <holdfast/kube/typed.h>

#include "objects/describe/describe.h"
#include "objects/get.h"
#include "objects/moves/following.h"
#include "objects/moves/move_spec.h"
#include "objects/object_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::Object;
using model::Value;
using protect::DataMove;

constexpr const char* kFollowCodes =
    "Exit codes: 0 Completed, 1 Failed or canceled, with the condition's reason and message; 130\n"
    "interrupted: the move goes on.";

struct MoveOptions {
  ServerChoice server{};
  std::string name{};
  MoveFlags flags{};
  bool wait = false, json = false;
};

int watch_to_end(Server& server, const std::string& name, const MoveStyle& style) {
  const Interrupts interrupts(goes_on(name));
  return follow_move(server, name, style, interrupts.token());
}

Result<int> begin(const MoveOptions& options, const DataMove& move) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const bool backup = move.spec.direction == DataMove::Direction::Backup;
  const std::string& volume = options.flags.volume;
  const std::string base =
      volume.substr(volume.find('/') == volume.npos ? 0 : volume.find('/') + 1);
  const kube::Resource& moves = kube::resource_of<DataMove>();
  const NewName called{options.name, fmt::format("{}-{}-", base, backup ? "backup" : "restore")};
  const auto name = make_object(*server, moves, model::encode_object(move), called);
  if (!name) return say_refused(*server, moves, name.error());
  if (!options.json) {
    fmt::print("{} created\n", name_text(moves, *name));
    std::fflush(stdout);
  }
  if (options.wait || options.json) return watch_to_end(*server, *name, {.json = options.json});
  return 0;
}

Result<int> watch(const MoveOptions& options) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  return watch_to_end(*server, options.name, {.json = options.json});
}

Result<int> cancel(const MoveOptions& options) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const kube::Resource& moves = kube::resource_of<DataMove>();
  const auto done =
      server->client().patch(moves, server->ns(), options.name, kube::PatchType::Merge,
                             Value(Object{{"spec", Object{{"cancel", true}}}}));
  if (!done) return say_refused(*server, moves, done.error());
  if (options.wait)
    return watch_to_end(*server, options.name, {.json = false, .cancel_is_good = true});
  fmt::print("{} is asked to end\n", name_text(moves, options.name));
  return 0;
}

/// A subcommand that runs `work` with options of its own.
CLI::App* add(CLI::App& app, const std::string& name, const std::string& help,
              const std::shared_ptr<MoveOptions>& options,
              std::function<Result<int>(const MoveOptions&)> work, int& code) {
  CLI::App* command = app.add_subcommand(name, help);
  add_server_options(*command, options->server);
  command->callback([options, work = std::move(work), &code] {
    const Result<int> done = work(*options);
    code = done ? *done : fail(done.error());
  });
  return command;
}

void add_move_flags(CLI::App& command, MoveOptions& options) {
  MoveFlags& flags = options.flags;
  command.add_option(
      "--location", flags.location,
      "BackupLocation, NAME or NAMESPACE/NAME; default: the namespace's default one");
  command.add_option("--directory", flags.directory, "with pod/NAME: folder in the container");
  command.add_option("-c,--container", flags.container, "with pod/NAME; default: the first");
  command.add_option("--retries", flags.backoff_limit, "number of retries after the first attempt")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--name", options.name, "name of the DataMove; default: generated");
  command.add_flag("--wait", options.wait, "wait for the end, and show the progress");
  command.add_flag("--json", options.json, "--wait, with progress as lines of JSON");
  command.footer(kFollowCodes);
}

void add_backup(CLI::App& app, const std::vector<std::string>& words, int& code) {
  auto options = std::make_shared<MoveOptions>();
  options->flags.command = words;
  CLI::App* command = add(
      app, "backup", "backs up a volume's data into the repository of a location", options,
      [](const MoveOptions& chosen) -> Result<int> {
        const DataMove move = HF_TRY(backup_move(chosen.flags));
        return begin(chosen, move);
      },
      code);
  command
      ->add_option(
          "CLAIM", options->flags.volume,
          "PersistentVolumeClaim; or volumesnapshot/NAME; or pod/NAME with --directory, or "
          "with -- COMMAND ARGS…, whose output it is")
      ->required();
  add_move_flags(*command, *options);
  command->add_option("--follow", options->flags.follow,
                      "continuous backup: a snapshot each 15m, 1h … until the move is canceled");
  command->add_option("--limit-upload", options->flags.limit, "most bytes per second: 512k, 10M");
}

void add_restore(CLI::App& app, const std::vector<std::string>& words, int& code) {
  auto options = std::make_shared<MoveOptions>();
  options->flags.command = words;
  CLI::App* command = add(
      app, "restore", "restores a repository's snapshot into an empty volume", options,
      [](const MoveOptions& chosen) -> Result<int> {
        const DataMove move = HF_TRY(restore_move(chosen.flags));
        return begin(chosen, move);
      },
      code);
  command->add_option("SNAPSHOT", options->flags.snapshot, "id, as in a move's status")->required();
  command
      ->add_option(
          "--to", options->flags.volume,
          "PersistentVolumeClaim; or pod/NAME with --directory, or with -- COMMAND ARGS…, which "
          "reads it")
      ->required();
  add_move_flags(*command, *options);
  command->add_option("--limit-download", options->flags.limit, "most bytes per second: 512k, 10M");
}

}  // namespace

void add_move_command(CLI::App& app, const std::vector<std::string>& words, int& code) {
  CLI::App* move = app.add_subcommand("move", "data moves: volumes into repositories and back");
  move->require_subcommand(1);
  add_list_command(*move, kube::resource_of<DataMove>(), "lists the moves of a namespace", code);
  add_backup(*move, words, code);
  add_restore(*move, words, code);
  auto watched = std::make_shared<MoveOptions>();
  CLI::App* watching =
      add(*move, "watch", "shows the progress of a move until it ends", watched, watch, code);
  watching->add_option("NAME", watched->name, "name of the DataMove")->required();
  watching->add_flag("--json", watched->json, "progress as lines of JSON");
  watching->footer(kFollowCodes);
  auto ended = std::make_shared<MoveOptions>();
  CLI::App* canceling =
      add(*move, "cancel", "ends a move; the next one reuses its data so far", ended, cancel, code);
  canceling->add_option("NAME", ended->name, "name of the DataMove")->required();
  canceling->add_flag("--wait", ended->wait, "wait until its mover is gone");
  canceling->footer(
      "Exit codes: 0 done; with --wait: canceled, or completed before it came to that; 1 failed.");
  add_describe_one(*move, kube::resource_of<DataMove>(), "describes a move, its movers and events",
                   code);
}

}  // namespace holdfast::cli
