/// Definitions (CRDs) of this room's kinds.
#pragma once

#include <holdfast/model/json.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::protect {

/// CustomResourceDefinitions, sorted by name.
std::vector<model::Value> definitions();

/// On the definition of a kind that only our own processes read and write.
inline constexpr std::string_view kInternalLabel = "holdfast.dev/internal";
bool is_internal(const model::Value& definition);

}  // namespace holdfast::protect
