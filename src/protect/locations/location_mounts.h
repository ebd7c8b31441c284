/// Paths of a location's repositories, and the mounts of a pod that works on one.
#pragma once

#include <holdfast/model/json.h>
#include <holdfast/protect/mover.h>

#include "locations/location_seen.h"

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
/// must be in the location's own namespace.
void add_location(PodMounts& out, const BackupLocation::Spec& location);

/// The repository of one namespace's data, as blob/location.h reads it.
std::string repository_of(const BackupLocation::Spec& location, std::string_view ns);

/// The same with all that a pod beside the location needs to open it. The location's own namespace
/// uses its password as it is, every other one that is derived for it.
RepositoryAccess access_to(const LocationSeen& location, const std::string& ns);

}  // namespace holdfast::protect
