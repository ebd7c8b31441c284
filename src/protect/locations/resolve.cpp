#include "locations/resolve.h"

#include <holdfast/kube/typed.h>

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
    if (model::bool_at(each.value(), {"spec", "default"}, false)) found = each;
  return found;
}

std::string nothing_there(const std::string& ns, const std::optional<Reference>& wanted) {
  if (!wanted)
    return fmt::format("NoBackupLocation: none is named, and namespace {} has no default one", ns);
  return fmt::format("NoBackupLocation: there is no BackupLocation {} in namespace {}",
                     wanted->name, ns);
}

}  // namespace

Resolved resolve_location(control::Pass& pass, const std::string& own,
                          const std::optional<Reference>& wanted) {
  const std::string ns = wanted && !wanted->ns.empty() ? wanted->ns : own;
  const kube::Cached found = wanted
                                 ? pass.get(kube::resource_of<BackupLocation>(), ns, wanted->name)
                                 : default_of(pass, ns);
  if (!found) return {{}, nothing_there(ns, wanted)};
  Result<BackupLocation> location = model::decode_object<BackupLocation>(found.value());
  if (!location) return {{}, "InvalidLocation: " + location.error().what()};
  if (ns != own && !allows(location->spec, own))
    return {{},
            fmt::format("NamespaceNotAllowed: BackupLocation {}/{} does not list namespace {} in "
                        "allowedNamespaces",
                        ns, wanted->name, own)};
  return {LocationSeen{ns, std::string(found.name()), std::string(found.uid()), location.take()},
          ""};
}

}  // namespace holdfast::protect
