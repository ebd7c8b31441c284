/// Child programs, read while they run. program.h runs one to its end, within bounds.
#pragma once

#include <holdfast/base/descriptor.h>
#include <holdfast/base/result.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

/// As a shell splits words: white space between them, quotes and backslashes, nothing else. Invalid
/// if a quote is not closed.
Result<std::vector<std::string>> split_words(std::string_view text);

/// A running program whose standard output is read here; its standard error and input are ours.
class Process {
 public:
  /// Found on PATH. NotFound if there is no such program.
  static Result<Process> start(const std::vector<std::string>& words);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) = delete;
  /// Closes its output, asks it to end if finish() was not called, and waits for its end.
  ~Process();

  /// 0 at the end of its output. Unavailable when asked to stop while there is nothing to read.
  Result<size_t> read(char* into, size_t most, const std::stop_token& stop = {});
  /// Waits for its end; Invalid if its exit code is not 0.
  Result<void> finish();

 private:
  Process(std::string name, int pid, Descriptor output)
      : name_(std::move(name)), pid_(pid), output_(std::move(output)) {}
  std::string name_;
  int pid_;
  Descriptor output_;
};

/// Standard input; as Process::read.
Result<size_t> read_input(char* into, size_t most, const std::stop_token& stop);

/// All that a program prints; an error if it fails.
Result<std::string> output_of(const std::vector<std::string>& words);

}  // namespace holdfast
