// Backups that a location holds, listed by their catalogues.
#include <holdfast/base/text.h>
#include <holdfast/cli/describe.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/listing.h>
#include <holdfast/cli/moves.h>
#include <holdfast/cli/words.h>
#include <holdfast/protect/catalogue.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::Array;
using protect::Catalogue;

DocumentQuery query_of(const CatalogueChoice& choice, const std::string& ns) {
  DocumentQuery query{.document = std::string(protect::kCatalogueName),
                      .tags = {std::string(protect::kCatalogueTag)},
                      .location = choice.location,
                      .repository = choice.repository,
                      .limit = choice.limit,
                      .prefix = fmt::format("{}-list-", choice.noun),
                      .what = "the catalogues"};
  const bool whole = choice.subject.find('/') != choice.subject.npos;
  if (!choice.subject.empty())
    query.tags.push_back(
        fmt::format("{}={}{}{}", choice.tag, whole ? "" : ns, whole ? "" : "/", choice.subject));
  return query;
}

/// Those of the documents that are catalogues; what is wrong with the others is said.
std::vector<Catalogue> catalogues_in(const Documents& documents) {
  std::vector<Catalogue> out;
  for (const auto& each : documents.found) {
    Result<Catalogue> read = protect::parse_catalogue(each.content.value_or(""));
    if (read)
      out.push_back(read.take());
    else
      fmt::print(stderr, "snapshot {}: {}\n", each.snapshot_id,
                 harmless_line(each.error.empty() ? read.error().what() : each.error));
  }
  return out;
}

std::vector<std::string> row_of(const Catalogue& each, WallTime now) {
  uint64_t bytes = 0, claims = 0;
  for (const auto& claim : each.claims) {
    if (claim.log) continue;
    bytes += uint64_t(std::max<int64_t>(0, claim.bytes.value_or(0)));
    ++claims;
  }
  return {each.subject,
          each.id,
          each.time,
          age(each.time, now),
          fmt::to_string(claims),
          size_text(bytes),
          model::word(each.verdict)};
}

std::string heading_of(std::string_view noun) {
  std::string out(noun);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return char(c - 'a' + 'A'); });
  return out;
}

void print_table(const std::vector<Catalogue>& read, const CatalogueChoice& choice, bool no_headers,
                 WallTime now) {
  std::vector<std::vector<std::string>> rows;
  if (!no_headers)
    rows.push_back({heading_of(choice.noun), "ID", "TIME", "AGE", "CLAIMS", "SIZE", "CONSISTENCY"});
  for (const Catalogue& each : read) rows.push_back(row_of(each, now));
  std::vector<size_t> widths;
  fmt::print("{}", aligned(rows, widths));
}

void print_whole(const std::vector<Catalogue>& read, OutputForm form) {
  Array items;
  for (const Catalogue& each : read) {
    model::Value item;
    model::field_type<Catalogue>().encode(&each, item);
    items.push_back(std::move(item));
  }
  fmt::print("{}", object_text(model::Value(std::move(items)), form));
}

}  // namespace

void add_location_flags(CLI::App& command, CatalogueChoice& choice) {
  command.add_option("--location", choice.location,
                     "backups in a BackupLocation, NAME or NAMESPACE/NAME, also those of clusters "
                     "that are gone");
  command.add_option("--repository", choice.repository,
                     "with --location: NAMESPACE, or ADMINS.NAMESPACE for what groups of an "
                     "administrators' namespace have backed up of another; only for admins");
  command.add_option("--limit", choice.limit, "with --location: maximum number of backups")
      ->capture_default_str()
      ->check(CLI::Range(1, 200));
}

Result<int> list_catalogues(Server& server, const ListFlags& flags, OutputForm form,
                            const CatalogueChoice& choice) {
  const Interrupts interrupts;
  const std::optional<Documents> documents =
      HF_TRY(read_documents(server, query_of(choice, server.ns()), interrupts.token()));
  if (!documents) return codes::kInterrupted;
  const std::vector<Catalogue> read = catalogues_in(*documents);
  if (documents->more)
    fmt::print(stderr, "there may be more; name a {}, or see --limit\n", choice.noun);
  const bool all = !documents->more && read.size() == documents->found.size();
  if (read.empty() && all)
    fmt::print(stderr, "No backups of {}s in repository {} of {}\n", choice.noun,
               choice.repository.empty() ? server.ns() : choice.repository, choice.location);
  if (form == OutputForm::Json || form == OutputForm::Yaml)
    print_whole(read, form);
  else if (!read.empty())
    print_table(read, choice, flags.no_headers, server.clock().now());
  return all ? codes::kDone : codes::kPartly;
}

}  // namespace holdfast::cli
