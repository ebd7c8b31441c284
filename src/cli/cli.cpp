#include <holdfast/apiserver/version.h>
#include <holdfast/cli/cli.h>

#include "apiserver_command.h"
#include "images/image_command.h"
#include "manifest_commands.h"
#include "movers/mover_command.h"
#include "movers/pod_work.h"
#include "movers/upkeep_command.h"
#include "node_command.h"
#include "objects/object_commands.h"
#include "operator_command.h"
#include "pods/pod_commands.h"
#include "repo/repo_command.h"
#include "volumes_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <span>
#include <string_view>

namespace holdfast::cli {
namespace {

/// Of words that name no command CLI11 only says that one is missing.
bool name_unknown_command(CLI::App& app) {
  CLI::App* at = &app;
  std::string path = app.get_name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  const std::vector<std::string> left = app.remaining(true);
  if (at->get_require_subcommand_min() == 0 || left.empty() || left.front().starts_with('-'))
    return false;
  std::cerr << path << " has no command \"" << left.front() << "\"\n"
            << path << " --help lists those it has\n";
  return true;
}

/// What `exec` and `move` run in a pod: everything after the first "--", which is taken away from
/// the line.
std::vector<std::string> after_dashes(int& argc, char** argv) {
  const std::span<char*> words(argv, size_t(argc));
  const std::string_view command = words.size() < 2 ? "" : words[1];
  if (command != "exec" && command != "move") return {};
  const auto dashes = std::find(words.begin(), words.end(), std::string_view("--"));
  if (dashes == words.end()) return {};
  argc = int(dashes - words.begin());
  return {dashes + 1, words.end()};
}

std::vector<DescribedKind> kinds_of(const std::vector<Verbs>& verbs) {
  std::vector<DescribedKind> kinds;
  for (const Verbs& each : verbs)
    kinds.insert(kinds.end(), each.described.begin(), each.described.end());
  return kinds;
}

void add_verbs(CLI::App& app, const std::vector<Verbs>& verbs, int& code) {
  for (const Verbs& each : verbs) {
    each.add_commands(app, code);
    for (const PodProgram& program : each.programs) add_pod_program(app, program, code);
  }
}

}  // namespace

int run(int argc, char** argv, const std::vector<Verbs>& verbs) {
  CLI::App app("Holdfast protects stateful applications on Kubernetes and brings them back.",
               "holdfast");
  app.set_version_flag("--version", "holdfast " HOLDFAST_VERSION " (Kubernetes " +
                                        std::string(apiserver::kServedVersion) + ")");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 failed, 2 usage; those of a command are in its help.");
  int code = 0;
  add_apiserver_commands(app, code);
  add_describe_command(app, kinds_of(verbs), code);
  const std::vector<std::string> words = after_dashes(argc, argv);
  add_exec_command(app, words, code);
  add_get_command(app, code);
  add_image_command(app, code);
  add_verbs(app, verbs, code);
  add_location_command(app, code);
  add_logs_command(app, code);
  add_manifest_commands(app, code);
  add_move_command(app, words, code);
  add_mover_command(app, code);
  add_node_commands(app, code);
  add_operator_command(app, code);
  add_repo_command(app, code);
  add_repository_command(app, code);
  add_upkeep_command(app, code);
  add_volumes_command(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_name() == "RequiredError" && name_unknown_command(app)) return 2;
    // --help and --version end here too, with code 0; every usage error is 2.
    return app.exit(error) == 0 ? 0 : 2;
  }
  return code;
}

}  // namespace holdfast::cli
