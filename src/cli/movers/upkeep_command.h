/// `holdfast upkeep`: what a Repository's Jobs run.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_upkeep_command(CLI::App& app, int& code);

}  // namespace holdfast::cli
