/// `holdfast logs` and `holdfast exec`.
#pragma once

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void add_logs_command(CLI::App& app, int& code);
void add_exec_command(CLI::App& app, int& code);

}  // namespace holdfast::cli
