/// BackupLocations as drivers refer to them, by name or by default.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>
#include <holdfast/protect/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace holdfast::protect {

struct ChosenLocation {
  std::optional<Reference> location{};  ///< with its namespace
  control::Refusal refusal{};           ///< why there is none: NoBackupLocation, …
};

/// For whoever is in namespace `ns`; absent: the default location there. The pass must watch
/// BackupLocations; the server itself is asked before one that was named counts as missing.
/// `behalf` is the namespace whose data it is for: an administrators' one may also use a location
/// that lists that one.
Result<ChosenLocation> choose_location(control::Pass& pass, const std::string& ns,
                                       const std::optional<Reference>& wanted,
                                       const std::string& behalf = "");

/// What a location lets go of what a namespace has there.
struct ForgetRule {
  control::Refusal refusal{};       ///< why nothing may go now, if nothing may
  std::chrono::seconds minimum{0};  ///< and nothing may that is younger than this
};
/// By the cache. `location` has its namespace.
ForgetRule forget_rule(control::Pass& pass, const std::string& ns, const Reference& location,
                       const std::string& behalf = "");

/// Name of the repository of what namespace `ns` backs up of namespace `data`: NS, or NS.DATA; and
/// the other way: whose data a repository of that name holds.
std::string repository_name(const std::string& ns, const std::string& data);
std::string data_namespace(const std::string& repository);

}  // namespace holdfast::protect
