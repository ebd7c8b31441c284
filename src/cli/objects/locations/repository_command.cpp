// `holdfast repository`: the state of repositories, and maintenance on request.
#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/objects.h>
#include <holdfast/cli/refused.h>
#include <holdfast/cli/words.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/repository.h>

#include "objects/describe/describe.h"
#include "objects/get.h"
#include "objects/locations/upkeep_view.h"
#include "objects/object_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::Object;
using model::Value;

struct UpkeepOptions {
  ServerChoice server{};
  std::string name{};
  bool wait = false;
  std::string timeout = "1h";
};

Result<int> ask(const UpkeepOptions& options, Upkeep upkeep) {
  const std::chrono::seconds limit = HF_TRY(parse_duration("--timeout", options.timeout));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const kube::Resource& resource = kube::resource_of<protect::Repository>();
  const auto before = server->client().get(resource, server->ns(), options.name);
  if (!before) return say_refused(*server, resource, before.error());
  const Object annotation{{std::string(kRunAnnotation), word_of(upkeep)}};
  const auto asked =
      server->client().patch(resource, server->ns(), options.name, kube::PatchType::Merge,
                             Value(Object{{"metadata", Object{{"annotations", annotation}}}}));
  if (!asked) return say_refused(*server, resource, asked.error());
  fmt::print("{}: {} asked for\n", name_text(resource, options.name), word_of(upkeep));
  std::fflush(stdout);
  if (!options.wait) return 0;
  const auto judged =
      wait_for(*server, resource, options.name, limit, judge_upkeep(*before, upkeep));
  if (!judged) return say_refused(*server, resource, judged.error());
  return tell(name_text(resource, options.name), *judged);
}

void add_upkeep(CLI::App& app, Upkeep upkeep, const std::string& help, int& code) {
  CLI::App* command = app.add_subcommand(std::string(word_of(upkeep)), help);
  auto options = std::make_shared<UpkeepOptions>();
  command->add_option("NAME", options->name, "name of the repository")->required();
  command->add_flag("--wait", options->wait, "wait until it is done");
  command->add_option("--timeout", options->timeout, "maximum time to wait")->capture_default_str();
  add_server_options(*command, options->server);
  command->footer(
      "Exit codes: 0 asked for, with --wait: done and good; 1 failed, with the reason; 2 usage,\n"
      "3 not over within the time: it goes on.");
  command->callback([options, upkeep, &code] {
    const Result<int> done = ask(*options, upkeep);
    code = done ? *done : fail(done.error());
  });
}

}  // namespace

void add_repository_command(CLI::App& app, int& code) {
  CLI::App* repository =
      app.add_subcommand("repository", "repositories in locations, and their maintenance");
  repository->require_subcommand(1);
  const kube::Resource& kind = kube::resource_of<protect::Repository>();
  add_list_command(*repository, kind, "lists the repositories of a namespace", code);
  add_describe_one(*repository, kind, "describes a repository, its maintenance and events", code);
  add_upkeep(*repository, Upkeep::Check, "checks that the data can be read", code);
  add_upkeep(*repository, Upkeep::Prune, "removes data that no snapshot needs", code);
}

}  // namespace holdfast::cli
