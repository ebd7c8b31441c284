/// The parsed form of a JSONPath.
#pragma once

#include "crd/json_path.h"

#include <array>
#include <optional>

namespace holdfast::apiserver {

struct JsonPath::Step {
  enum class Kind {
    Field,      ///< `name`
    Wildcard,   ///< every member or element
    Recursive,  ///< the value and all below it
    Slice,      ///< `bounds`: from, to, step
    Union,      ///< `left` and `more`, each applied to the same input
    Filter,     ///< elements for which `left` OPERATOR `right` holds
    Literal,    ///< `literal`, for each input
  };
  Kind kind = Kind::Field;
  std::string name;
  std::array<std::optional<int>, 3> bounds;
  bool single = false;  ///< [3]: the upper bound follows from the lower
  std::vector<Steps> branches;
  Steps left, right;
  std::string operation;  ///< ==, !=, <, <=, >, >=, or "exists"
  model::Value literal;
};

/// The steps of what stands between the braces.
Result<JsonPath::Steps> parse_steps(std::string_view text);

}  // namespace holdfast::apiserver
