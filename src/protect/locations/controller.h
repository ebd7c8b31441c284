/// The controller of BackupLocations: tries each once a minute, and at once when it has changed.
/// Its Secrets are read with each try, by their names, and never kept.
#pragma once

#include <holdfast/protect/controllers.h>

namespace holdfast::protect {

control::ControllerSpec location_controller(const MoverSettings& settings,
                                            const std::function<Outside()>& outside);

}  // namespace holdfast::protect
