/// `holdfast logs` and `holdfast exec`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_logs_command(CLI::App& app, int& code);
/// `words`: all that stands after the first "--". They are the command's own: CLI11 would take
/// "[a]" for a list.
void add_exec_command(CLI::App& app, std::vector<std::string> words, int& code);

}  // namespace holdfast::cli
