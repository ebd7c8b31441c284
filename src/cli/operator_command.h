/// `holdfast operator`: the controllers, against any Kubernetes API server.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_operator_command(CLI::App& app, int& code);

}  // namespace holdfast::cli
