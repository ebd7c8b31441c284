// `holdfast describe`.
#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/refused.h>

#include "objects/describe/describe.h"
#include "objects/find_kinds.h"
#include "objects/object_commands.h"
#include "objects/reading.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

using model::Array;
using model::string_at;
using model::Value;

Array list(Server& server, const kube::Resource& resource, const std::string& ns,
           const kube::ListOptions& options) {
  Array out;
  // What may not be seen is left out: the object itself has been read.
  (void)server.client().list(resource, ns, options, [&out](Value item) {
    out.push_back(std::move(item));
    return true;
  });
  return out;
}

int describe_all(Server& server, const std::vector<Selection>& chosen,
                 const std::vector<DescribedKind>& kinds) {
  Reading reading(server);
  bool first = true, failed = false;
  for (const Selection& selection : chosen) {
    const auto found = reading.objects(selection);
    if (!found) {
      say(found.error());
      failed = true;
      continue;
    }
    for (const Value& object : *found) {
      fmt::print("{}{}", first ? "" : "\n\n", object_description(server, object, kinds));
      first = false;
    }
  }
  if (first && !failed) fmt::print(stderr, "No resources found\n");
  return failed ? 1 : 0;
}

Result<int> describe(const DescribeOptions& options) {
  const std::vector<Wanted> wanted = HF_TRY(read_wanted(options.words));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const auto catalogue = Catalogue::ask(server->client());
  if (!catalogue) return say(catalogue.error());
  if (options.only != nullptr && !catalogue->has(*options.only))
    return not_served(*server, *options.only);
  std::vector<Selection> chosen;
  for (const Wanted& each : wanted) {
    const std::vector<const Served*> kinds = HF_TRY(find_kinds(*catalogue, each.kind));
    for (const Served* kind : kinds)
      chosen.push_back({kind, kind->namespaced ? server->ns() : "", each.name, options.labels, ""});
  }
  return describe_all(*server, chosen, options.kinds);
}

}  // namespace

Array events_about(Server& server, const Value& object) {
  std::string fields =
      fmt::format("involvedObject.uid={},involvedObject.name={}",
                  string_at(object, {"metadata", "uid"}), string_at(object, {"metadata", "name"}));
  // Events about what has no namespace are kept in the default one.
  std::string ns(string_at(object, {"metadata", "namespace"}));
  if (ns.empty()) ns = "default";
  return list(server, kube::kCoreEvents, ns, {.field_selector = std::move(fields)});
}

std::string object_description(Server& server, const Value& object,
                               const std::vector<DescribedKind>& kinds) {
  Beside beside;
  beside.now = server.clock().now();
  beside.list = [&server](const kube::Resource& resource, const std::string& ns,
                          const std::string& labels) {
    return list(server, resource, ns, {.label_selector = labels});
  };
  return description(object, events_about(server, object), beside, kinds);
}

int run_describe(const DescribeOptions& options) {
  const Result<int> done = describe(options);
  return done ? *done : fail(done.error());
}

void add_describe_one(CLI::App& app, const kube::Resource& kind, const std::string& help,
                      int& code) {
  CLI::App* command = app.add_subcommand("describe", help);
  auto options = std::make_shared<DescribeOptions>();
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "name of the object")->required();
  add_server_options(*command, options->server);
  command->callback([options, name, &kind, &code] {
    options->words = {kind.text(), *name};
    options->only = &kind;
    code = run_describe(*options);
  });
}

void add_describe_command(CLI::App& app, std::vector<DescribedKind> kinds, int& code) {
  CLI::App* command = app.add_subcommand(
      "describe", "describes an object of any kind, with its events: describe KIND[/NAME] [NAME…]");
  auto options = std::make_shared<DescribeOptions>();
  options->kinds = std::move(kinds);
  command
      ->add_option("KIND", options->words,
                   "kind and names, as for get; without a name: all of the namespace")
      ->required();
  add_server_options(*command, options->server);
  command->add_option("-l,--selector", options->labels, "label selector: a=b,c!=d,e in (x,y)");
  command->footer("Exit codes: 0 done, 1 failed, or a name is not there.");
  command->callback([options, &code] { code = run_describe(*options); });
}

}  // namespace holdfast::cli
