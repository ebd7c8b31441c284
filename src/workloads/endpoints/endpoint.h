/// One endpoint of a slice, its ports and the labels around it.
#pragma once

#include "endpoints/service.h"
#include "endpoints/trigger.h"

namespace holdfast::workloads::endpoints {

/// Null if the pod has no address of that family.
model::Value endpoint_of(const Service& service, const Backend& pod, std::string_view family);
/// Ports of the Service that this pod has; pods with the same ones share slices.
model::Array ports_of(const Service& service, const Backend& pod);
/// The Service's own, and those by which slices are found.
model::Object slice_labels(const Service& service);
/// What stays the same while an endpoint changes in place: addresses, hostname and pod.
std::string identity_of(const model::Value& endpoint);

}  // namespace holdfast::workloads::endpoints
