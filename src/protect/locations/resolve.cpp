#include "locations/resolve.h"

#include <holdfast/kube/typed.h>
#include <holdfast/protect/locations.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

bool allows(const BackupLocation::Spec& spec, const std::string& ns) {
  return std::any_of(spec.allowed_namespaces.begin(), spec.allowed_namespaces.end(),
                     [&ns](const std::string& each) { return each == "*" || each == ns; });
}

kube::Cached default_of(control::Pass& pass, const std::string& ns) {
  kube::Cached found;
  for (const kube::Cached& each : pass.list(kube::resource_of<BackupLocation>(), ns))
    if (model::bool_at(*each.shared_value(), {"spec", "default"}, false)) found = each;
  return found;
}

control::Refusal nothing_there(const std::string& ns, const std::optional<Reference>& wanted) {
  return {"NoBackupLocation",
          wanted ? fmt::format("there is no BackupLocation {} in namespace {}", wanted->name, ns)
                 : fmt::format("no location is named, and namespace {} has no default one", ns)};
}

Resolved judge(const kube::Cached& found, const std::string& own, const std::string& ns,
               const std::optional<Reference>& wanted) {
  if (!found) return {{}, nothing_there(ns, wanted)};
  Result<BackupLocation> location = model::decode_object<BackupLocation>(*found.shared_value());
  if (!location) return {{}, {"InvalidLocation", location.error().what()}};
  if (ns != own && !allows(location->spec, own))
    return {{},
            {"NamespaceNotAllowed",
             fmt::format("BackupLocation {}/{} does not list namespace {} in allowedNamespaces", ns,
                         wanted->name, own)}};
  return {LocationSeen{ns, std::string(found.name()), std::string(found.uid()), location.take(),
                       found.meta().generation},
          {}};
}

std::string namespace_of(const std::string& own, const std::optional<Reference>& wanted) {
  return wanted && !wanted->ns.empty() ? wanted->ns : own;
}

}  // namespace

Resolved resolve_location(control::Pass& pass, const std::string& own,
                          const std::optional<Reference>& wanted) {
  const std::string ns = namespace_of(own, wanted);
  const kube::Cached found = wanted
                                 ? pass.get(kube::resource_of<BackupLocation>(), ns, wanted->name)
                                 : default_of(pass, ns);
  return judge(found, own, ns, wanted);
}

Result<Resolved> resolve_for_certain(control::Pass& pass, const std::string& own,
                                     const std::optional<Reference>& wanted) {
  Resolved resolved = resolve_location(pass, own, wanted);
  if (resolved.location || !wanted) return resolved;
  const std::string ns = namespace_of(own, wanted);
  const kube::Cached found =
      HF_TRY(control::read_live(pass, kube::resource_of<BackupLocation>(), ns, wanted->name));
  return judge(found, own, ns, wanted);
}

Result<ChosenLocation> choose_location(control::Pass& pass, const std::string& ns,
                                       const std::optional<Reference>& wanted) {
  Resolved found = HF_TRY(resolve_for_certain(pass, ns, wanted));
  ChosenLocation out;
  if (found.location) {
    out.location = Reference{found.location->name, found.location->ns};
    return out;
  }
  out.refusal = std::move(found.refusal);
  return out;
}

}  // namespace holdfast::protect
