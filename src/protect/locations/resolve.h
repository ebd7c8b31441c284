/// Resolution of a BackupLocation by name or default.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>

#include "locations/location_seen.h"

#include <optional>
#include <string>

namespace holdfast::protect {

struct Resolved {
  std::optional<LocationSeen> location{};  ///< the one named, or the default one
  control::Refusal refusal{};              ///< why there is none: NoBackupLocation, …
};

/// For whoever is in namespace `ns`; absent: the default location there. The pass must watch
/// BackupLocations.
Resolved resolve_location(control::Pass& pass, const std::string& ns,
                          const std::optional<Reference>& wanted);

/// The same for a decision that cannot be taken back: before a location that was named counts as
/// missing or closed, the server itself is asked, since a cache may be older than it.
Result<Resolved> resolve_for_certain(control::Pass& pass, const std::string& ns,
                                     const std::optional<Reference>& wanted);

}  // namespace holdfast::protect
