// `holdfast group logs`: what happened to an action, and what its movers say.
#include <holdfast/cli/moves.h>
#include <holdfast/kube/typed.h>

#include "actions.h"
#include "commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <set>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Array;
using model::Value;

/// Where its data moves are: with its claims, or where it searched.
std::set<std::string> namespaces_of(const FoundAction& found) {
  std::set<std::string> out{found.ns};
  if (found.action.status.inputs) out.insert(found.action.status.inputs->ns);
  if (found.action.spec.source && !found.action.spec.source->ns.empty())
    out.insert(found.action.spec.source->ns);
  return out;
}

}  // namespace

Result<int> show_action_logs(const ServerChoice& choice, const std::string& name, int64_t tail) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(choice));
  const FoundAction found = HF_TRY(read_action(*server, name));
  Array moves;
  const std::string labels = fmt::format("{}={}", kActionLabel, found.uid);
  for (const std::string& ns : namespaces_of(found)) {
    const auto listed = server->client().list(kube::resource_of<protect::DataMove>(), ns,
                                              {.label_selector = labels}, [&moves](Value move) {
                                                moves.push_back(std::move(move));
                                                return true;
                                              });
    if (!listed)
      fmt::print(stderr, "data moves of namespace {}: {}\n", ns, listed.error().error.what());
  }
  cli::show_logs(*server, {found.object}, moves, tail);
  return 0;
}

}  // namespace holdfast::drivers::volumegroup
