// Choice of drivers and their settings: what people choose is checked before anything starts.
#include <holdfast/base/text.h>
#include <holdfast/protect/driver.h>
#include <holdfast/protect/kinds.h>

#include "drivers/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace holdfast::protect {
namespace {

/// The part to which the controllers of this room belong.
constexpr std::string_view kThisRoom = "protect";

std::string names_of(const std::vector<Driver>& drivers) {
  std::vector<std::string> names;
  for (const Driver& each : drivers) names.push_back(each.name);
  return join(names, ", ");
}

const Driver* find(const std::vector<Driver>& drivers, std::string_view name) {
  const auto found = std::find_if(drivers.begin(), drivers.end(),
                                  [name](const Driver& each) { return each.name == name; });
  return found == drivers.end() ? nullptr : &*found;
}

struct Set {
  std::string driver, name, value;
};

std::optional<Set> read_set(std::string_view text) {
  const size_t equals = text.find('=');
  const size_t dot = text.substr(0, equals).find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos) return std::nullopt;
  return Set{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1, equals - dot - 1)),
             std::string(text.substr(equals + 1))};
}

Result<void> check_setting(const std::string& text, const std::vector<Driver>& drivers) {
  const std::optional<Set> set = read_set(text);
  if (!set)
    return Error(Fault::Invalid,
                 fmt::format("read setting {}: not DRIVER.NAME=VALUE", quoted(text)));
  const Driver* driver = find(drivers, set->driver);
  if (driver == nullptr)
    return Error(Fault::Invalid,
                 fmt::format("read setting {}: no driver {}", quoted(text), quoted(set->driver)))
        .with_hint("drivers are " + names_of(drivers));
  std::vector<std::string> known;
  for (const DriverSetting& each : driver->settings) {
    if (each.name == set->name) {
      Result<void> good = each.check(set->value);
      if (good) return good;
      return good.take_error().with_context(fmt::format("read setting {}", quoted(text)));
    }
    known.push_back(fmt::format("{}.{}", driver->name, each.name));
  }
  return Error(Fault::Invalid, fmt::format("read setting {}: driver {} has no setting {}",
                                           quoted(text), driver->name, quoted(set->name)))
      .with_hint(known.empty() ? "it has none" : "it has " + join(known, ", "));
}

std::string kind_of(const model::Value& definition) {
  return std::string(model::string_at(definition, {"metadata", "name"}));
}

}  // namespace

Result<void> check_drivers(const std::vector<Driver>& drivers) {
  std::map<std::string, std::string> owner;
  for (const model::Value& each : definitions()) owner[kind_of(each)] = kThisRoom;
  std::vector<std::string> names = {std::string(kThisRoom)};
  for (const Driver& driver : drivers) {
    if (std::find(names.begin(), names.end(), driver.name) != names.end())
      return Error(Fault::Invalid, fmt::format("list the drivers: two are called {}", driver.name));
    names.push_back(driver.name);
    for (const model::Value& each : driver.definitions) {
      const auto [at, first] = owner.emplace(kind_of(each), driver.name);
      if (!first)
        return Error(Fault::Invalid, fmt::format("list the drivers: {} and {} both define {}",
                                                 at->second, driver.name, at->first));
    }
  }
  return ok();
}

void trust_administrators(DriverSettings& settings, const std::vector<Driver>& drivers) {
  for (const Driver& driver : drivers)
    for (const std::string& ns : driver.admin_namespaces)
      for (auto* trusted : {&settings.admin_namespaces, &settings.movers.file_namespaces})
        if (std::find(trusted->begin(), trusted->end(), ns) == trusted->end())
          trusted->push_back(ns);
}

Result<void> check_choice(const DriverChoice& choice, const std::vector<Driver>& drivers) {
  for (const std::string_view word : split(choice.drivers, ',')) {
    std::string_view name = trim(word);
    if (name.starts_with('-')) name.remove_prefix(1);
    if (name != "*" && find(drivers, name) == nullptr)
      return Error(Fault::Invalid, fmt::format("choose drivers {}: no driver {}",
                                               quoted(choice.drivers), quoted(name)))
          .with_hint(fmt::format("drivers are {}; {}, what all of them share, always runs",
                                 names_of(drivers), kThisRoom));
  }
  for (const std::string& each : choice.set) HF_TRY(check_setting(each, drivers));
  return ok();
}

std::vector<control::ControllerSpec> all_controllers(
    const DriverChoice& choice, const std::vector<Driver>& drivers,
    const std::function<Outside()>& outside,
    const std::function<std::vector<control::Part>()>& parts) {
  MoverSettings movers = choice.settings.movers;
  movers.admin_namespaces = choice.settings.admin_namespaces;
  std::vector<control::ControllerSpec> out = controllers(movers, outside);
  std::vector<std::string> names = {std::string(kThisRoom)}, chosen = names;
  for (const Driver& driver : drivers) {
    names.push_back(driver.name);
    if (switched_on(choice.drivers, {driver.name})) chosen.push_back(driver.name);
  }
  out.push_back(driver_controller(names, chosen, parts));
  for (control::ControllerSpec& spec : out) spec.part = kThisRoom;
  for (const Driver& driver : drivers) {
    if (!switched_on(choice.drivers, {driver.name})) continue;
    DriverSettings settings = choice.settings;
    for (const std::string& each : choice.set)
      if (std::optional<Set> set = read_set(each); set && set->driver == driver.name)
        settings.own[set->name] = set->value;
    for (control::ControllerSpec& spec : driver.controllers(settings, outside)) {
      spec.part = driver.name;
      out.push_back(std::move(spec));
    }
  }
  return out;
}

}  // namespace holdfast::protect
