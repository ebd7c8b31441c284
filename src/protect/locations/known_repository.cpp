#include "locations/known_repository.h"

#include <holdfast/base/walls.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/repository.h>

#include <fmt/format.h>

namespace holdfast::protect {

using model::string_at;

kube::IndexFunction by_place() {
  return [](const kube::Cached& object, std::vector<std::string>& values) {
    const auto value = object.shared_value();
    const std::string_view holds = string_at(*value, {"spec", "namespace"});
    values.push_back(fmt::format("{}/{}", string_at(*value, {"spec", "location", "name"}),
                                 holds.empty() ? object.ns() : holds));
  };
}

KnownRepository known_repository(control::Pass& pass, const LocationSeen& location,
                                 const std::string& name) {
  KnownRepository out;
  if (!wall_stands("no repository is begun anew")) return out;
  for (const kube::Cached& each : pass.find(kube::resource_of<Repository>(), kByPlace,
                                            fmt::format("{}/{}", location.name, name))) {
    if (each.ns() != location.ns) continue;
    const auto value = each.shared_value();
    if (out.id.empty()) out.id = string_at(*value, {"status", "repositoryID"});
    // Made by hand it may stand for one that is to come.
    out.is_kept = out.is_kept || !string_at(*value, {"status", "lastOpened"}).empty() ||
                  !string_at(*value, {"metadata", "labels", kRepositoryOf}).empty();
    out.is_given_up = out.is_given_up || !string_at(*value, {"status", "anewSince"}).empty();
  }
  return out;
}

}  // namespace holdfast::protect
