/// Tables: what `kubectl get` shows, made by the server (meta.k8s.io/v1 Table).
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include "kinds/resource.h"

#include <vector>

namespace holdfast::apiserver {

/// [{name,type,format,description,priority}]
model::Array table_columns(const Resource& resource);
/// The cells of one object in the order of table_columns: of a custom kind in the version that
/// `resource` serves, of a built-in one in its stored version. `now` is for ages.
model::Array table_cells(const Resource& resource, const model::Value& object, WallTime now);
/// The row's conditions: pods that are through say so. Empty for most.
model::Array table_conditions(const Resource& resource, const model::Value& object);

}  // namespace holdfast::apiserver
