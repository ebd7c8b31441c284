/// Verbs of a driver on the command line, as a value: its commands, how its kinds are described,
/// and the programs of the pods that its controllers make. `holdfast` goes through the list of them
/// (holdfast/drivers/verbs.h) and knows no driver by name.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/cli/describe.h>

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

/// A hidden command that runs in a pod which a controller makes for it. Its task is in a variable
/// of the environment; it is asked to stop when the pod is to end.
struct PodProgram {
  std::string name{}, help{};
  std::string variable{};
  /// The exit code; an error is said and is 2: what the variable holds is no task.
  std::function<Result<int>(std::string_view task, std::stop_token stop)> work{};
};

struct Verbs {
  std::string driver{};  ///< the name of its folder
  /// Adds its commands; the callback of the one that was typed sets the exit code.
  std::function<void(CLI::App& app, int& code)> add_commands{};
  std::vector<DescribedKind> described{};
  std::vector<PodProgram> programs{};
};

}  // namespace holdfast::cli
