/// Amounts of resources in a pod: parsed resource lists, and what all containers of a pod need
/// together.
#pragma once

#include <holdfast/model/json.h>
#include <holdfast/model/quantity.h>

#include <map>
#include <string>
#include <string_view>

namespace holdfast::apiserver::pod {

using Amounts = std::map<std::string, model::Quantity, std::less<>>;

/// A resource list of a decoded object; what does not parse is left out.
Amounts amounts_of(const model::Value& resource_list);
/// `field` is "requests" or "limits": the sum over the containers that run together, or what one
/// init container needs beside the sidecars started before it, whichever is more.
Amounts aggregate_containers(const model::Value& pod_spec, std::string_view field);

bool is_huge_page(std::string_view resource);
bool is_native(std::string_view resource);  ///< no domain, or kubernetes.io's
bool overcommit_allowed(std::string_view resource);
bool is_extended(std::string_view resource);
/// cpu, memory, hugepages-*: what a pod's own `resources` may name.
bool is_pod_level(std::string_view resource);

}  // namespace holdfast::apiserver::pod
