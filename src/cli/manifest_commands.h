/// `holdfast crds` and `holdfast rbac`: what types and controllers say of themselves, as manifests.
/// `deploy/` holds the same bytes.
#pragma once

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void add_manifest_commands(CLI::App& app, int& code);

}  // namespace holdfast::cli
