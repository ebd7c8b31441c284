/// Tables: what `kubectl get` shows, made by the server (meta.k8s.io/v1 Table).
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include "kinds/resource.h"

#include <vector>

namespace holdfast::apiserver {

/// [{name,type,format,description,priority}]
model::Array table_columns(const Resource& resource);
/// The cells of one object in the order of table_columns. `now` is for ages.
model::Array table_cells(const Resource& resource, const model::Value& object, WallTime now);

}  // namespace holdfast::apiserver
