/// Child process that does a piece of work: what it does to memory is gone when it ends.
#pragma once

#include <holdfast/base/result.h>

#include <chrono>
#include <functional>
#include <string>

namespace holdfast {

/// Forks, runs `work` in the child and returns what it returned. The child ends without running
/// destructors or exit hooks. One that dies of a signal is Fault::Internal and names it. Only for
/// processes with one thread: no other thread lives on in the child.
Result<std::string> run_in_child(const std::function<std::string()>& work);

/// Processor time that this process and its ended children have used.
std::chrono::microseconds cpu_time();

}  // namespace holdfast
