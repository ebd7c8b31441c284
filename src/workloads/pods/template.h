/// A pod as its owner's template describes it.
#pragma once

#include <holdfast/model/json.h>

#include <string>
#include <string_view>

namespace holdfast::workloads {

/// Labels, annotations, finalizers and spec of the template. `generate_name` is what clients see
/// on the real manager's pods, though the name itself is ours to choose.
model::Value pod_from_template(const model::Value& pod_template, std::string_view ns,
                               std::string_view name, std::string_view generate_name,
                               model::Value owner);

/// "web-", or the name alone where the dash would make it too long.
std::string pod_prefix(std::string_view owner_name);

/// The same text for the same value whatever the order of its members: what hashes are made of.
std::string canonical_json(const model::Value& value);

}  // namespace holdfast::workloads
