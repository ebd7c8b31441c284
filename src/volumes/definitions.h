/// The kinds of snapshots that this room serves.
#pragma once

#include <holdfast/model/json.h>

#include <vector>

namespace holdfast::volumes {

/// CustomResourceDefinitions, those of single snapshots first.
std::vector<model::Value> definitions();

}  // namespace holdfast::volumes
