/// Options that choose drivers, the same on `operator` and `up`.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/protect/driver.h>

namespace CLI {
class App;
}

namespace holdfast::cli {

/// --drivers and --set. The choice must live as long as the command.
void add_driver_options(CLI::App& command, protect::DriverChoice& choice);
/// The list of drivers itself, then what was chosen of it.
Result<void> check_drivers(const protect::DriverChoice& choice);

}  // namespace holdfast::cli
