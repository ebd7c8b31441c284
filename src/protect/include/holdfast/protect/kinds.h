/// The definitions of this room's kinds, for whoever prints or installs them.
#pragma once

#include <holdfast/model/json.h>

#include <string>
#include <vector>

namespace holdfast::protect {

/// CustomResourceDefinitions, sorted by name.
std::vector<model::Value> definitions();

}  // namespace holdfast::protect
