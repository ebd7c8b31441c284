/// What people type about objects: `holdfast get` and `holdfast describe` for any kind, `holdfast
/// location`, `repository`, `move` and `group` for ours.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_get_command(CLI::App& app, int& code);
void add_describe_command(CLI::App& app, int& code);
void add_group_command(CLI::App& app, int& code);
void add_location_command(CLI::App& app, int& code);
void add_repository_command(CLI::App& app, int& code);
/// `words`: all that stands after the first "--", the command of a pod.
void add_move_command(CLI::App& app, const std::vector<std::string>& words, int& code);

}  // namespace holdfast::cli
