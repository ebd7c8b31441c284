#include "action/source_plan.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/records.h>
#include <holdfast/protect/locations.h>

#include "action/objects.h"
#include "action/report.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

Outcome fail(const ActionSeen& seen, const std::string& reason, const std::string& message) {
  return ActionReport(seen).end(State::Error, reason, message).outcome();
}

/// Name of the repository that spec.source names.
const std::string& named_repository(const ActionSeen& seen) {
  const std::string& named = seen.action.spec.source->ns;
  return named.empty() ? seen.ns : named;
}

/// What the bucket says is anybody's word: where claims are made is decided here, and they carry
/// nothing that our own controllers would read.
Outcome take(const ActionSeen& seen, const SearchSeen& search, protect::FoundCatalogue its) {
  protect::Catalogue& found = *its.catalogue;
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  status.inputs.emplace();
  status.inputs->ns = protect::data_namespace(search.repository);
  status.inputs->repository = search.repository;
  status.inputs->location = search.move->move.status.location;
  for (ClaimRecord& claim : found.claims) {
    claim.ns = status.inputs->ns;
    claim.snapshot_uid.clear();
    protect::drop_marks(claim);
    if (!status.triggered) status.triggered.emplace();
    status.triggered->references.resources.push_back(
        {.name = claim.name, .ns = claim.ns, .items = {}});
  }
  status.inputs->claims = std::move(found.claims);
  status.consistency = found.verdict;
  status.consistency_reason = found.reason;
  status.consistency_message = found.message;
  status.catalogue = its.snapshot_id;
  return report.step("find", State::Completed)
      .end(State::Completed, "Found",
           fmt::format("backup {} of {} from {} in repository {} holds {} claims", found.id,
                       found.subject, found.time, search.repository, status.inputs->volumes()))
      .outcome();
}

/// One repository after the other: the first that holds the backup is the one.
Outcome search(const ActionSeen& seen) {
  const protect::CatalogueWish wish = catalogue_wish(seen);
  control::Refusal missing;
  std::vector<std::string> without;
  std::string unread;
  for (const SearchSeen& each : seen.searches) {
    if (!each.move) return Outcome::act(create_search(seen, each));
    if (!each.move->is_over()) return Outcome::wait(10s, "Searching");
    if (!each.move->completed()) {
      missing = each.move->trouble();
      if (missing.reason != "RepositoryNotFound") return fail(seen, missing.reason, missing.text());
      continue;
    }
    protect::FoundCatalogue found = choose_catalogue(each.move->move.status, wish);
    if (found.catalogue) return take(seen, each, std::move(found));
    without.push_back(each.repository);
    if (!found.trouble.empty()) unread += "; " + found.trouble;
  }
  if (without.empty()) return fail(seen, missing.reason, missing.text());
  return fail(seen, "BackupNotFound",
              fmt::format("there is no backup{} of group {}{} in repository {}{}",
                          wish.id.empty() ? "" : " " + wish.id, wish.subject,
                          wish.before.empty() ? "" : " before " + wish.before,
                          join(without, " or "), unread));
}

}  // namespace

std::vector<SearchSeen> searches_of(const ActionSeen& seen, const GroupSettings& settings) {
  const std::string& named = named_repository(seen);
  std::vector<std::string> repositories = {named};
  // A tenant may read its own repository alone.
  if (!seen.action.spec.source->ns.empty() && settings.is_admin(seen.ns))
    repositories = protect::repositories_with(catalogue_wish(seen), named);
  std::vector<SearchSeen> out;
  for (std::string& each : repositories) {
    // A search of the one that is named may have been begun before there was another.
    const std::string_view step = each == named ? "search" : "search-of-group";
    out.push_back({.repository = std::move(each), .name = made_name(seen.uid, "", step)});
  }
  return out;
}

Outcome plan_source(const ActionSeen& seen, const GroupSettings& settings) {
  if (named_repository(seen) != seen.ns && !settings.is_admin(seen.ns))
    return fail(seen, "NamespaceNotAllowed",
                fmt::format("an action of namespace {} may not read the repository {}", seen.ns,
                            named_repository(seen)));
  if (!seen.action.status.state) {
    ActionReport report(seen);
    report.status().started = model::to_rfc3339(seen.now);
    report.status().triggered.emplace();
    report.status().triggered->started = report.status().started;
    report.status().triggered->running = {{.name = "find"}};
    return report.state(State::Pending).outcome();
  }
  if (!seen.has_finalizer) return Outcome::act(hold(seen));
  return search(seen);
}

}  // namespace holdfast::drivers::volumegroup
