/// JSON values in the order in which Go prints maps.
#pragma once

#include <holdfast/model/json.h>

namespace holdfast::model {

/// With members sorted at every depth: equal values have equal texts.
Value sorted(const Value& value);

}  // namespace holdfast::model
