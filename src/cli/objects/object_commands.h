/// Commands about objects: `holdfast get` and `holdfast describe` for any kind, `holdfast
/// location`, `repository` and `move` for ours.
#pragma once

#include <holdfast/cli/describe.h>

#include <string>
#include <vector>

namespace holdfast::cli {

void add_get_command(CLI::App& app, int& code);
/// `kinds`: those that drivers describe.
void add_describe_command(CLI::App& app, std::vector<DescribedKind> kinds, int& code);
void add_location_command(CLI::App& app, int& code);
void add_repository_command(CLI::App& app, int& code);
/// `words`: all that stands after the first "--", the command of a pod.
void add_move_command(CLI::App& app, const std::vector<std::string>& words, int& code);

}  // namespace holdfast::cli
