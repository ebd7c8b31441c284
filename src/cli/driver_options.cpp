#include "driver_options.h"

#include <holdfast/drivers/drivers.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {

void add_driver_options(CLI::App& command, protect::DriverChoice& choice) {
  protect::trust_administrators(choice.settings, drivers::all());
  std::string names, settings;
  for (const protect::Driver& driver : drivers::all()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", driver.name);
    for (const protect::DriverSetting& each : driver.settings)
      settings +=
          fmt::format("; {}.{}: {} (default {})", driver.name, each.name, each.doc, each.standard);
  }
  command
      .add_option(
          "--drivers", choice.drivers,
          fmt::format("drivers to run: *, NAME, -NAME, comma-separated; there are {}", names))
      ->capture_default_str();
  command
      .add_option(
          "--set", choice.set,
          fmt::format("DRIVER.NAME=VALUE, a setting of one driver; may be repeated{}", settings))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Result<void> check_drivers(const protect::DriverChoice& choice) {
  const std::vector<protect::Driver> all = drivers::all();
  HF_TRY(protect::check_drivers(all));
  return protect::check_choice(choice, all);
}

}  // namespace holdfast::cli
