/// Values as YAML that people read and review: block style, members in their order.
#pragma once

#include <holdfast/model/json.h>

#include <string>

namespace holdfast::model {

/// Reading it back with parse_yaml gives the same value. Ends with a line break.
std::string to_yaml(const Value& value);

}  // namespace holdfast::model
