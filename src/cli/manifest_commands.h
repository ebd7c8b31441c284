/// `holdfast crds` and `holdfast rbac`: what the C++ types and the controllers' declarations say, as
/// manifests. `deploy/` holds the same bytes.
#pragma once

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void add_manifest_commands(CLI::App& app, int& code);

}  // namespace holdfast::cli
