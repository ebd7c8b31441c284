/// What people type about objects: `holdfast get` and `holdfast describe` for any kind, `holdfast
/// location`, `repository` and `move` for ours.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_get_command(CLI::App& app, int& code);
void add_describe_command(CLI::App& app, int& code);
void add_location_command(CLI::App& app, int& code);
void add_repository_command(CLI::App& app, int& code);
void add_move_command(CLI::App& app, int& code);

}  // namespace holdfast::cli
