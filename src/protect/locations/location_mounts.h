/// Paths of a location's repositories, and the mounts of a pod that works on one.
#pragma once

#include <holdfast/model/json.h>
#include <holdfast/protect/mover.h>

#include "locations/known_repository.h"

#include <string>
#include <string_view>

namespace holdfast::protect {

/// Lists of a pod's spec and of its container's, each mount in both.
struct PodMounts {
  model::Array volumes{}, mounts{};
  /// `source` is the volume without its name.
  void add(std::string_view name, std::string_view path, model::Object source, bool read_only);
};

/// The Secrets of the location, where MoverPlaces has them, and its folder if it is one. The pod
/// must be in the location's own namespace. No path that a person has named is the target of a
/// mount: it might lie in a volume, or lead through a link of one.
void add_location(PodMounts& out, const BackupLocation::Spec& location);

/// The repository of that name, as blob/location.h reads it, in a pod that has its mounts.
std::string repository_of(const BackupLocation::Spec& location, std::string_view name);

/// The same with all that a pod beside the location needs to open it. That of the location's own
/// namespace is sealed with its password as it is, every other one with one derived for it.
RepositoryAccess access_to(const LocationSeen& location, const std::string& name,
                           const KnownRepository& known);

}  // namespace holdfast::protect
