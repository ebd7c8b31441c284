/// Child program: runs it to its end and takes what it prints, within bounds of time and size.
#pragma once

#include <holdfast/base/result.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace holdfast {

struct Program {
  std::string command{};  ///< a path, or a name that is looked up in $PATH
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, std::string>> env{};  ///< over our own environment
  /// It may ask the person at the terminal; then it stays in our process group.
  bool interactive = false;
  std::chrono::milliseconds limit{60000};
};

/// What it wrote to stdout; its stderr is ours. NotFound: there is no such program. Unavailable: it
/// did not end in time, was stopped or wrote more than a megabyte (then it is killed, with all that
/// it started), or it ended with another code than 0.
Result<std::string> run_program(const Program& program, const std::stop_token& stop);

}  // namespace holdfast
