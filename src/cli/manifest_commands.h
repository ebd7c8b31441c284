/// `holdfast crds` and `holdfast rbac`: what types and controllers say of themselves, as manifests.
/// `deploy/` holds the same bytes.
#pragma once

#include <holdfast/model/json.h>

#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

/// Of all rooms that have kinds.
std::vector<model::Value> all_definitions();

/// What people may do with our kinds who may edit or view a namespace: roles that add themselves to
/// Kubernetes' own.
std::vector<model::Value> people_roles();

void add_manifest_commands(CLI::App& app, int& code);

}  // namespace holdfast::cli
