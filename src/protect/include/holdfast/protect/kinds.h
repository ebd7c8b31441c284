/// Definitions (CRDs) of this room's kinds.
#pragma once

#include <holdfast/model/json.h>

#include <string>
#include <vector>

namespace holdfast::protect {

/// CustomResourceDefinitions, sorted by name.
std::vector<model::Value> definitions();

}  // namespace holdfast::protect
