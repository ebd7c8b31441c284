// `holdfast group list`: the actions of a namespace.
#include <holdfast/cli/object_text.h>
#include <holdfast/cli/sheet.h>

#include "action_view.h"
#include "commands.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

void print_objects(const std::vector<FoundAction>& found, cli::OutputForm form) {
  model::Array items;
  for (const FoundAction& each : found) {
    if (form == cli::OutputForm::Name)
      fmt::print("volumegroupaction.longhorn.io/{}\n", each.name);
    else
      items.push_back(cli::shown_object(each.object));
  }
  if (form != cli::OutputForm::Name)
    fmt::print("{}", cli::object_text(cli::list_of(std::move(items)), form));
}

void print_rows(const std::vector<FoundAction>& found, const ListOptions& options, WallTime now) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& ns, std::vector<std::string> row) {
    if (options.all_namespaces) row.insert(row.begin(), ns);
    rows.push_back(std::move(row));
  };
  if (!options.no_headers)
    add("NAMESPACE", {"NAME", "GROUP", "ACTION", "STATE", "CONSISTENCY", "SIZE", "AGE"});
  for (const FoundAction& each : found) add(each.ns, action_row(each, now));
  std::vector<size_t> widths;
  fmt::print("{}", cli::aligned(rows, widths));
}

}  // namespace

Result<int> list_group_actions(const ListOptions& options) {
  const cli::OutputForm form = HF_TRY(cli::output_form(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const bool all = options.all_namespaces;
  const std::vector<FoundAction> found =
      HF_TRY(list_actions(*server, all ? std::string() : server->ns(), options.group));
  // Actions outlive their group; only a name that has neither is a mistake.
  if (found.empty() && !options.group.empty() && !all) HF_TRY(read_group(*server, options.group));
  if (form != cli::OutputForm::Table && form != cli::OutputForm::Wide) {
    print_objects(found, form);
    return 0;
  }
  if (!found.empty())
    print_rows(found, options, server->clock().now());
  else
    fmt::print(stderr, "No actions found{}\n",
               all ? "" : fmt::format(" in {} namespace.", server->ns()));
  return 0;
}

}  // namespace holdfast::drivers::volumegroup
