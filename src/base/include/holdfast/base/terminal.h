/// Terminal control: size, raw mode, hidden input.
#pragma once

#include <holdfast/base/result.h>

#include <string>
#include <utility>

namespace holdfast {

enum class Standard { Input = 0, Output = 1, Errors = 2 };
bool is_terminal(Standard stream);
/// Columns of the terminal that errors go to; 80 if it does not say.
int terminal_width();

struct WindowSize {
  int columns = 80, rows = 24;
};
/// Of the terminal that is standard output, or input; the usual one if neither is.
WindowSize window_size();

/// While it lives, standard input's terminal hands over every key as it is: no line editing, no
/// echo, no signals. For a terminal at the other end of a connection, which does all that.
class RawTerminal {
 public:
  /// Invalid if standard input is no terminal.
  static Result<RawTerminal> enter();
  RawTerminal(RawTerminal&& other) noexcept : owns_(std::exchange(other.owns_, false)) {}
  RawTerminal& operator=(RawTerminal&& other) = delete;
  ~RawTerminal();

 private:
  explicit RawTerminal(bool owns) : owns_(owns) {}
  bool owns_;
};

/// A line typed without echo; the prompt goes to standard error. Invalid if nobody is there to ask.
Result<std::string> ask_secret(const std::string& prompt);
/// Puts echo back if a question is open: for who ends the process in the middle of one.
/// True if there was one.
bool restore_terminal();

}  // namespace holdfast
