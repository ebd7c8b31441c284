/// The controller of BackupLocations: tries each once a minute, and at once when it or one of its
/// Secrets has changed.
#pragma once

#include <holdfast/protect/controllers.h>

namespace holdfast::protect {

control::ControllerSpec location_controller(const MoverSettings& settings,
                                            const std::function<Outside()>& outside);

/// resourceVersions of the location's Secrets as the cache has them, "-" for one that is not there.
std::string secret_versions(control::Pass& pass, const std::string& ns,
                            const BackupLocation::Spec& spec);
/// Names only: other people's Secrets are not for our memory.
control::Watch watch_secrets();
bool names_secret(const BackupLocation::Spec& spec, std::string_view name);

}  // namespace holdfast::protect
