#include <holdfast/apiserver/version.h>
#include <holdfast/cli/cli.h>

#include "apiserver_command.h"
#include "manifest_commands.h"
#include "operator_command.h"
#include "repo/repo_command.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace holdfast::cli {

int run(int argc, char** argv) {
  CLI::App app("Holdfast protects stateful applications on Kubernetes and brings them back.",
               "holdfast");
  app.set_version_flag("--version", "holdfast " HOLDFAST_VERSION " (Kubernetes " +
                                        std::string(apiserver::kServedVersion) + ")");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 failed, 2 usage; those of a command are in its help.");
  int code = 0;
  add_apiserver_commands(app, code);
  add_manifest_commands(app, code);
  add_operator_command(app, code);
  add_repo_command(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version end here too, with code 0; every usage error is 2.
    return app.exit(error) == 0 ? 0 : 2;
  }
  return code;
}

}  // namespace holdfast::cli
