/// Resolution of a BackupLocation by name or default.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>

#include "locations/location_seen.h"

#include <chrono>
#include <optional>
#include <string>

namespace holdfast::protect {

struct Resolved {
  std::optional<LocationSeen> location{};  ///< the one named, or the default one
  control::Refusal refusal{};              ///< why there is none: NoBackupLocation, …
};

/// For whoever is in namespace `ns`, on behalf of another one if that is named; absent: the default
/// location there. The pass must watch BackupLocations.
Resolved resolve_location(control::Pass& pass, const std::string& ns,
                          const std::optional<Reference>& wanted, const std::string& behalf = "");

/// The same for a decision that cannot be taken back: before a location that was named counts as
/// missing or closed, the server itself is asked, since a cache may be older than it.
Result<Resolved> resolve_for_certain(control::Pass& pass, const std::string& ns,
                                     const std::optional<Reference>& wanted,
                                     const std::string& behalf = "");

/// Whether namespace `ns` may have snapshots of the location forgotten.
bool may_forget(const LocationSeen& location, const std::string& ns);
control::Refusal forget_refusal(const LocationSeen& location, const std::string& ns);
/// Why nothing is written to it nor removed from it, if its condition Available says that another
/// repository than the known one is there, or none; no reason otherwise.
control::Refusal lost(const LocationSeen& location);
/// Nothing younger is forgotten; a month counts 31 days, a year 366. Nothing if it does not parse.
std::optional<std::chrono::seconds> minimum_retention(const BackupLocation::Spec& location);

}  // namespace holdfast::protect
