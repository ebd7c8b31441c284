/// The controller of Driver objects.
#pragma once

#include <holdfast/protect/driver.h>

namespace holdfast::protect {

/// One object for each of `names`; those in `chosen` are as `parts` says, the others switched off.
control::ControllerSpec driver_controller(std::vector<std::string> names,
                                          std::vector<std::string> chosen,
                                          std::function<std::vector<control::Part>()> parts);

}  // namespace holdfast::protect
