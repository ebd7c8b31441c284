/// `holdfast apiserver` and `holdfast up`.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace holdfast::cli {

/// `code` gets the exit code of the command that ran.
void add_apiserver_commands(CLI::App& app, int& code);

}  // namespace holdfast::cli
