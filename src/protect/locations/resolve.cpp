#include "locations/resolve.h"

#include <holdfast/base/walls.h>
#include <holdfast/control/report.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/locations.h>
#include <holdfast/repo/forget.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::protect {
namespace {

bool lists(const std::vector<std::string>& namespaces, const std::string& ns) {
  return std::any_of(namespaces.begin(), namespaces.end(),
                     [&ns](const std::string& each) { return each == "*" || each == ns; });
}

kube::Cached default_of(control::Pass& pass, const std::string& ns) {
  kube::Cached found;
  for (const kube::Cached& each : pass.list(kube::resource_of<BackupLocation>(), ns))
    if (model::bool_at(*each.shared_value(), {"spec", "default"}, false)) found = each;
  return found;
}

/// Who asks, and on whose behalf.
struct Asker {
  const std::string& own;
  const std::string& behalf;
  /// Of a location in that namespace.
  bool may_use(const std::string& ns, const BackupLocation::Spec& spec) const {
    const auto may = [&](const std::string& each) {
      return !each.empty() && (each == ns || lists(spec.allowed_namespaces, each));
    };
    return may(own) || may(behalf);
  }
};

control::Refusal nothing_there(const std::string& ns, const std::optional<Reference>& wanted) {
  return {"NoBackupLocation",
          wanted ? fmt::format("there is no BackupLocation {} in namespace {}", wanted->name, ns)
                 : fmt::format("no location is named, and namespace {} has no default one", ns)};
}

Resolved judge(const kube::Cached& found, const Asker& asker, const std::string& ns,
               const std::optional<Reference>& wanted) {
  if (!found) return {{}, nothing_there(ns, wanted)};
  Result<BackupLocation> location = model::decode_object<BackupLocation>(*found.shared_value());
  if (!location) return {{}, {"InvalidLocation", location.error().what()}};
  if (!asker.may_use(ns, location->spec))
    return {{},
            {"NamespaceNotAllowed",
             fmt::format("BackupLocation {}/{} does not list namespace {} in allowedNamespaces", ns,
                         wanted->name, asker.own)}};
  return {LocationSeen{ns, std::string(found.name()), std::string(found.uid()), location.take(),
                       found.meta().generation},
          {}};
}

std::string namespace_of(const std::string& own, const std::optional<Reference>& wanted) {
  return wanted && !wanted->ns.empty() ? wanted->ns : own;
}

}  // namespace

Resolved resolve_location(control::Pass& pass, const std::string& own,
                          const std::optional<Reference>& wanted, const std::string& behalf) {
  const std::string ns = namespace_of(own, wanted);
  const kube::Cached found = wanted
                                 ? pass.get(kube::resource_of<BackupLocation>(), ns, wanted->name)
                                 : default_of(pass, ns);
  return judge(found, {own, behalf}, ns, wanted);
}

Result<Resolved> resolve_for_certain(control::Pass& pass, const std::string& own,
                                     const std::optional<Reference>& wanted,
                                     const std::string& behalf) {
  Resolved resolved = resolve_location(pass, own, wanted, behalf);
  if (resolved.location || !wanted) return resolved;
  const std::string ns = namespace_of(own, wanted);
  const kube::Cached found =
      HF_TRY(control::read_live(pass, kube::resource_of<BackupLocation>(), ns, wanted->name));
  return judge(found, {own, behalf}, ns, wanted);
}

Result<ChosenLocation> choose_location(control::Pass& pass, const std::string& ns,
                                       const std::optional<Reference>& wanted,
                                       const std::string& behalf) {
  Resolved found = HF_TRY(resolve_for_certain(pass, ns, wanted, behalf));
  ChosenLocation out;
  if (found.location) {
    out.location = Reference{found.location->name, found.location->ns};
    return out;
  }
  out.refusal = std::move(found.refusal);
  return out;
}

bool may_forget(const LocationSeen& location, const std::string& ns) {
  return ns == location.ns || lists(location.location.spec.allow_forget, ns) ||
         !wall_stands("forgetting is a right of its own");
}

control::Refusal lost(const LocationSeen& location) {
  constexpr std::array kReasons = {"RepositoryNotFound", "RepositoryChanged", "MarkerNotFound",
                                   "MarkerChanged"};
  const model::Condition* said =
      control::find_condition(location.location.status.conditions, "Available");
  if (said == nullptr || said->status != "False") return {};
  for (const std::string_view each : kReasons)
    if (said->reason == each)
      return {said->reason, fmt::format("location {}/{} is not what it was: {}", location.ns,
                                        location.name, said->message)};
  return {};
}

std::optional<std::chrono::seconds> minimum_retention(const BackupLocation::Spec& location) {
  if (location.minimum_retention.empty()) return std::chrono::seconds(0);
  const Result<repo::CalendarSpan> span = repo::parse_span(location.minimum_retention);
  if (!span) return std::nullopt;
  return std::chrono::hours(span->hours) +
         std::chrono::days(span->days + 31 * span->months + 366 * span->years);
}

ForgetRule forget_rule(control::Pass& pass, const std::string& ns, const Reference& location,
                       const std::string& behalf) {
  const Resolved found = resolve_location(pass, ns, location, behalf);
  if (!found.location) return {found.refusal, {}};
  if (!may_forget(*found.location, ns)) return {forget_refusal(*found.location, ns), {}};
  if (control::Refusal why = lost(*found.location); !why.reason.empty()) return {why, {}};
  const auto minimum = minimum_retention(found.location->location.spec);
  if (minimum) return {{}, *minimum};
  return {{"InvalidLocation",
           fmt::format("BackupLocation {}/{}: spec.minimumRetention {} does not parse", location.ns,
                       location.name, found.location->location.spec.minimum_retention)},
          {}};
}

control::Refusal forget_refusal(const LocationSeen& location, const std::string& ns) {
  return {"ForgetNotAllowed",
          fmt::format("BackupLocation {}/{} does not list namespace {} in allowForget: what it has "
                      "there stays",
                      location.ns, location.name, ns)};
}

std::string repository_name(const std::string& ns, const std::string& data) {
  return data.empty() || data == ns ? ns : fmt::format("{}.{}", ns, data);
}

std::string data_namespace(const std::string& repository) {
  return repository.substr(repository.find('.') == repository.npos ? 0 : repository.find('.') + 1);
}

}  // namespace holdfast::protect
