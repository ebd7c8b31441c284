/// Driver: everything that protects one foreign API or one kind of application, as a value. The
/// operator, `up`, the printers of definitions and rights and the simulation go through the list of
/// drivers (holdfast/drivers/drivers.h) and know none by name.
#pragma once

#include <holdfast/control/runtime.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/protect/outside.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace holdfast::protect {

struct DriverSettings {
  /// Objects here may act in other namespaces, with the operator's own rights.
  std::vector<std::string> admin_namespaces = {"holdfast-system"};
  MoverSettings movers{};
  std::map<std::string, std::string> own{};  ///< the driver's settings that were chosen, checked
};

/// A setting of one driver, chosen by `--set DRIVER.NAME=VALUE`.
struct DriverSetting {
  std::string name{}, doc{}, standard{};  ///< what holds if nobody chooses
  std::function<Result<void>(std::string_view value)> check{};
};

struct Driver {
  std::string name{};                       ///< that of its folder: in --drivers, metrics and logs
  std::vector<model::Value> definitions{};  ///< CustomResourceDefinitions, sorted by name
  /// `outside` is called when the controllers are made, not before.
  std::function<std::vector<control::ControllerSpec>(const DriverSettings& settings,
                                                     const std::function<Outside()>& outside)>
      controllers{};
  std::vector<DriverSetting> settings{};
  /// Where the administrators of its API have their objects: trusted too, unless others are chosen.
  std::vector<std::string> admin_namespaces{};
};

/// Invalid if two of them have the same name or define the same kind, or one defines a kind of
/// this room; names both.
Result<void> check_drivers(const std::vector<Driver>& drivers);

/// Which of them `--drivers` and `--set` choose, and with what settings.
struct DriverChoice {
  std::string drivers = "*";       ///< *, NAME, -NAME, comma-separated
  std::vector<std::string> set{};  ///< DRIVER.NAME=VALUE
  DriverSettings settings{};       ///< for all of them
};

/// Adds the drivers' own administrators to those that stand in the settings by default.
void trust_administrators(DriverSettings& settings, const std::vector<Driver>& drivers);

/// Invalid for names that no driver or setting has, and for values that do not parse; the hint
/// lists those there are.
Result<void> check_choice(const DriverChoice& choice, const std::vector<Driver>& drivers);

/// The controllers of this room and of the chosen drivers, each with its driver's name as its part.
/// The choice must be a checked one. `parts` tells which of them run, once they do: the objects of
/// kind Driver report it.
std::vector<control::ControllerSpec> all_controllers(
    const DriverChoice& choice, const std::vector<Driver>& drivers,
    const std::function<Outside()>& outside,
    const std::function<std::vector<control::Part>()>& parts);

}  // namespace holdfast::protect
