/// Everything that is protected, each by one driver: their kinds and their controllers.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/model/json.h>

#include <vector>

namespace holdfast::drivers {

/// CustomResourceDefinitions of all drivers, sorted by name.
std::vector<model::Value> definitions();

}  // namespace holdfast::drivers
