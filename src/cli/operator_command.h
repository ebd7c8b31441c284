/// `holdfast operator`: the controllers, against any Kubernetes API server.
#pragma once

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void add_operator_command(CLI::App& app, int& code);

}  // namespace holdfast::cli
