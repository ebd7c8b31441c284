/// `holdfast group revert` and `holdfast group restore`.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_revert_command(CLI::App& app, int& code);
void add_restore_command(CLI::App& app, int& code);

}  // namespace holdfast::cli
