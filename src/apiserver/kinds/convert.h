/// Conversion between the served forms of one stored object: versions of a custom resource (only
/// apiVersion differs), core and events.k8s.io events (members are renamed), autoscaling v1 and v2.
#pragma once

#include "kinds/resource.h"

namespace holdfast::apiserver {

/// Turns `object` into `version` of the resource. `to_storage`: from the served form of `resource`
/// to the stored one; otherwise the other way round.
void convert(model::Value& object, const Resource& resource, const std::string& version,
             bool to_storage);

}  // namespace holdfast::apiserver
