#include "objects/groups/listing.h"

#include "objects/groups/action_view.h"
#include "objects/object_text.h"
#include "objects/table_text.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

void print_objects(const std::vector<FoundAction>& found, OutputForm form) {
  model::Array items;
  for (const FoundAction& each : found) {
    if (form == OutputForm::Name)
      fmt::print("volumegroupaction.longhorn.io/{}\n", each.name);
    else
      items.push_back(shown_object(each.object));
  }
  if (form != OutputForm::Name) fmt::print("{}", object_text(list_of(std::move(items)), form));
}

void print_rows(const std::vector<FoundAction>& found, const GroupListOptions& options,
                WallTime now) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& ns, std::vector<std::string> row) {
    if (options.all_namespaces) row.insert(row.begin(), ns);
    rows.push_back(std::move(row));
  };
  if (!options.no_headers)
    add("NAMESPACE", {"NAME", "GROUP", "ACTION", "STATE", "CONSISTENCY", "SIZE", "AGE"});
  for (const FoundAction& each : found) add(each.ns, action_row(each, now));
  std::vector<size_t> widths;
  fmt::print("{}", aligned(rows, widths));
}

}  // namespace

Result<int> list_group_actions(const GroupListOptions& options) {
  const OutputForm form = HF_TRY(output_form(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const bool all = options.all_namespaces;
  const std::vector<FoundAction> found =
      HF_TRY(list_actions(*server, all ? std::string() : server->ns(), options.group));
  // Actions outlive their group; only a name that has neither is a mistake.
  if (found.empty() && !options.group.empty() && !all) HF_TRY(read_group(*server, options.group));
  if (form != OutputForm::Table && form != OutputForm::Wide) {
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

}  // namespace holdfast::cli
