/// Work of pods that our controllers make: a task in a variable of the environment, and a stop when
/// the pod is asked to end.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/cli/verbs.h>

#include <functional>
#include <stop_token>
#include <string_view>

namespace holdfast::cli {

/// The exit code of `work`, or 2 if the variable is not set or what it holds is no task.
int pod_work(const char* variable,
             const std::function<Result<int>(std::string_view task, std::stop_token stop)>& work);

/// As a command that is not listed.
void add_pod_program(CLI::App& app, const PodProgram& program, int& code);

}  // namespace holdfast::cli
