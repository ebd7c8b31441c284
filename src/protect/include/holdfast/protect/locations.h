/// BackupLocations as drivers refer to them, by name or by default.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>
#include <holdfast/protect/types.h>

#include <optional>
#include <string>

namespace holdfast::protect {

struct ChosenLocation {
  std::optional<Reference> location{};  ///< with its namespace
  control::Refusal refusal{};           ///< why there is none: NoBackupLocation, …
};

/// For whoever is in namespace `ns`; absent: the default location there. The pass must watch
/// BackupLocations; the server itself is asked before one that was named counts as missing.
Result<ChosenLocation> choose_location(control::Pass& pass, const std::string& ns,
                                       const std::optional<Reference>& wanted);

}  // namespace holdfast::protect
