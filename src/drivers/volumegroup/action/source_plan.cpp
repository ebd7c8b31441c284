#include "action/source_plan.h"

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

/// What the bucket says is anybody's word: where claims are made is decided here, and they carry
/// nothing that our own controllers would read.
Outcome take(const ActionSeen& seen, protect::Catalogue found, const std::string& snapshot) {
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  status.inputs.emplace();
  status.inputs->ns = source_ns(seen);
  status.inputs->repository = source_repository(seen);
  status.inputs->location = seen.search->move.status.location;
  for (ClaimRecord& claim : found.claims) {
    claim.ns = source_ns(seen);
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
  status.catalogue = snapshot;
  return report.step("find", State::Completed)
      .end(State::Completed, "Found",
           fmt::format("backup {} of {} from {} holds {} claims", found.id, found.subject,
                       found.time, status.inputs->volumes()))
      .outcome();
}

Outcome choose(const ActionSeen& seen) {
  const protect::CatalogueWish wish = catalogue_wish(seen);
  protect::FoundCatalogue found = choose_catalogue(seen.search->move.status, wish);
  if (found.catalogue) return take(seen, std::move(*found.catalogue), found.snapshot_id);
  return fail(seen, "BackupNotFound",
              fmt::format("repository {} holds no backup{} of group {}{}{}",
                          source_repository(seen), wish.id.empty() ? "" : " " + wish.id,
                          wish.subject, wish.before.empty() ? "" : " before " + wish.before,
                          found.trouble.empty() ? "" : "; " + found.trouble));
}

}  // namespace

std::string source_repository(const ActionSeen& seen) {
  const std::string& given = seen.action.spec.source->ns;
  return given.empty() ? seen.ns : given;
}

std::string source_ns(const ActionSeen& seen) {
  return protect::data_namespace(source_repository(seen));
}

std::string search_name(const ActionSeen& seen) { return made_name(seen.uid, "", "search"); }

Outcome plan_source(const ActionSeen& seen, const GroupSettings& settings) {
  if (source_repository(seen) != seen.ns && !settings.is_admin(seen.ns))
    return fail(seen, "NamespaceNotAllowed",
                fmt::format("an action of namespace {} may not read the repository {}", seen.ns,
                            source_repository(seen)));
  if (!seen.action.status.state) {
    ActionReport report(seen);
    report.status().started = model::to_rfc3339(seen.now);
    report.status().triggered.emplace();
    report.status().triggered->started = report.status().started;
    report.status().triggered->running = {{.name = "find"}};
    return report.state(State::Pending).outcome();
  }
  if (!seen.has_finalizer) return Outcome::act(hold(seen));
  if (!seen.search) return Outcome::act(create_search(seen));
  if (!seen.search->is_over()) return Outcome::wait(10s, "Searching");
  if (!seen.search->completed()) {
    const control::Refusal trouble = seen.search->trouble();
    return fail(seen, trouble.reason, trouble.text());
  }
  return choose(seen);
}

}  // namespace holdfast::drivers::volumegroup
