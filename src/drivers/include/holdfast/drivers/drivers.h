/// The list of drivers.
#pragma once

#include <holdfast/protect/driver.h>

#include <vector>

namespace holdfast::drivers {

/// In the order of list.def.
std::vector<protect::Driver> all();

}  // namespace holdfast::drivers
