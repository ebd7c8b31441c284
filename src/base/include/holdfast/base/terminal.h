/// The person at the other end, if there is one.
#pragma once

#include <holdfast/base/result.h>

#include <string>

namespace holdfast {

enum class Standard { Input = 0, Output = 1, Errors = 2 };
bool is_terminal(Standard stream);
/// Columns of the terminal that errors go to; 80 if it does not say.
int terminal_width();

/// A line typed without echo; the prompt goes to standard error. Invalid if nobody is there to ask.
Result<std::string> ask_secret(const std::string& prompt);
/// Puts echo back if a question is open: for who ends the process in the middle of one.
/// True if there was one.
bool restore_terminal();

}  // namespace holdfast
