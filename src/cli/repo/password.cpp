#include "repo/password.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/process.h>
#include <holdfast/base/terminal.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

/// Editors end files with a newline; a password has none.
std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

Error empty_password(std::string_view from) {
  return Error(Fault::Invalid, fmt::format("the password from {} is empty", from))
      .with_hint("--insecure-no-password says that it is meant to be");
}

Result<std::string> from_command(const std::string& command) {
  Result<std::vector<std::string>> words = split_words(command);
  if (!words) return words.take_error().with_context("read the password command");
  // Its output is the password: the message names the program only.
  Result<std::string> printed = output_of(*words);
  if (!printed) return printed.take_error().with_context("ask the password command");
  return without_line_end(printed.take());
}

/// Nothing if nobody but a person can say it.
Result<std::optional<std::string>> given(const Access& access) {
  if (access.no_password) return std::optional<std::string>("");
  std::string password, from;
  if (!access.password_command.empty()) {
    password = HF_TRY(from_command(access.password_command));
    from = "the password command";
  } else if (!access.password_file.empty()) {
    Result<std::string> read = read_file(access.password_file);
    if (!read) return read.take_error().with_context("read the password");
    password = without_line_end(read.take());
    from = access.password_file;
  } else if (!access.password.empty()) {
    return std::optional(access.password);
  } else {
    return std::optional<std::string>();
  }
  if (password.empty()) return empty_password(from);
  return std::optional(std::move(password));
}

Result<std::string> ask(const std::string& prompt) {
  Result<std::string> typed = ask_secret(prompt);
  if (!typed)
    return typed.take_error().with_hint(
        "give --password-file, --password-command or RESTIC_PASSWORD");
  if (typed->empty()) return empty_password("the terminal");
  return typed;
}

}  // namespace

Result<std::string> find_password(const Access& access, const std::string& what) {
  std::optional<std::string> password = HF_TRY(given(access));
  if (password) return std::move(*password);
  return ask(fmt::format("password of {}", what));
}

Result<std::string> find_new_password(const Access& access, const std::string& what) {
  std::optional<std::string> password = HF_TRY(given(access));
  if (password) return std::move(*password);
  std::string once = HF_TRY(ask(fmt::format("new password of {}", what)));
  const std::string twice = HF_TRY(ask("the same password again"));
  if (!equal_secret(once, twice)) return Error(Fault::Invalid, "the two passwords differ");
  return once;
}

}  // namespace holdfast::cli
