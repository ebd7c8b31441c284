/// `holdfast mover`: what a DataMove's pod runs.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_mover_command(CLI::App& app, int& code);

}  // namespace holdfast::cli
