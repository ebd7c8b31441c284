// `holdfast group list --location`: the backups of groups that a location holds.
#include <holdfast/cli/describe.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/moves.h>
#include <holdfast/cli/object_text.h>
#include <holdfast/cli/words.h>
#include <holdfast/protect/catalogue.h>

#include "actions.h"
#include "commands.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Array;
using model::Value;

cli::DocumentQuery query_of(const ListOptions& options, const std::string& ns) {
  cli::DocumentQuery query{.document = std::string(protect::kCatalogueName),
                           .tags = {std::string(protect::kCatalogueTag)},
                           .location = options.location,
                           .limit = options.limit,
                           .prefix = "group-list-",
                           .what = "the catalogues"};
  if (options.group.find('/') != std::string::npos)
    query.tags.push_back("vg=" + options.group);
  else if (!options.group.empty())
    query.tags.push_back(fmt::format("vg={}/{}", ns, options.group));
  return query;
}

std::vector<std::string> row_of(const protect::Catalogue& each, WallTime now) {
  uint64_t bytes = 0, claims = 0;
  for (const auto& claim : each.claims) {
    if (claim.log) continue;
    bytes += uint64_t(std::max<int64_t>(0, claim.bytes.value_or(0)));
    ++claims;
  }
  return {cli::harmless(each.subject), cli::harmless(each.id), cli::harmless(each.time),
          cli::age(each.time, now),    fmt::to_string(claims), cli::size_text(bytes),
          model::word(each.verdict)};
}

int print(const cli::Documents& documents, const ListOptions& options, cli::OutputForm form,
          WallTime now) {
  std::vector<std::vector<std::string>> rows;
  if (!options.no_headers)
    rows.push_back({"GROUP", "ID", "TIME", "AGE", "CLAIMS", "SIZE", "CONSISTENCY"});
  Array items;
  int code = 0;
  for (const auto& each : documents.found) {
    const Result<protect::Catalogue> read = protect::parse_catalogue(each.content.value_or(""));
    if (!read) {
      fmt::print(stderr, "snapshot {}: {}\n", each.snapshot_id,
                 cli::harmless(each.error.empty() ? read.error().what() : each.error));
      code = codes::kPartly;
      continue;
    }
    rows.push_back(row_of(*read, now));
    Value item;
    model::field_type<protect::Catalogue>().encode(&*read, item);
    items.push_back(std::move(item));
  }
  if (documents.more) {
    fmt::print(stderr, "there may be more; name a group, or see --limit\n");
    code = codes::kPartly;
  }
  const bool none = items.empty();
  if (none && code == 0) fmt::print(stderr, "No backups of groups in {}\n", options.location);
  std::vector<size_t> widths;
  if (form == cli::OutputForm::Json || form == cli::OutputForm::Yaml)
    fmt::print("{}", cli::object_text(Value(std::move(items)), form));
  else if (!none)
    fmt::print("{}", cli::aligned(rows, widths));
  return code;
}

}  // namespace

Result<int> list_location(const ListOptions& options) {
  const cli::OutputForm form = HF_TRY(cli::output_form(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const cli::Interrupts interrupts;
  const std::optional<cli::Documents> documents =
      HF_TRY(cli::read_documents(*server, query_of(options, server->ns()), interrupts.token()));
  if (!documents) return codes::kInterrupted;
  return print(*documents, options, form, server->clock().now());
}

}  // namespace holdfast::drivers::volumegroup
