/// `holdfast node`, and `holdfast shim`, which only a node calls.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_node_commands(CLI::App& app, int& code);

}  // namespace holdfast::cli
