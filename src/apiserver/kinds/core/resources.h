/// Names and amounts of resources, as quotas, limit ranges and nodes have them.
#pragma once

#include <holdfast/model/quantity.h>

#include "kinds/place.h"

namespace holdfast::apiserver::core {

/// A qualified name, or one of the standard ones. Says whether it is good.
bool check_resource_name(std::string_view name, const Place& entry);
/// A name that a container may ask for.
void check_container_resource_name(std::string_view name, const Place& entry);
/// Not negative, and whole if the resource is counted.
void check_amount(std::string_view name, const Place& entry);

std::optional<model::Quantity> quantity_of(const Place& place);

}  // namespace holdfast::apiserver::core
