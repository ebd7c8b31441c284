#include "repo/print/output.h"

#include <holdfast/base/terminal.h>
#include <holdfast/base/text.h>

#include "repo/print/json_object.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace holdfast::cli {

Output::Output(const Settings& settings)
    : json_(settings.json),
      quiet_(settings.quiet),
      terminal_(is_terminal(Standard::Output)),
      verbose_(settings.verbose) {}

void Output::line(std::string_view text) {
  const std::string whole = std::string(text) + '\n';
  if (std::fwrite(whole.data(), 1, whole.size(), stdout) != whole.size()) closed_ = true;
}

Result<void> Output::bytes(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return ok();
  closed_ = true;
  return Error(Fault::Unavailable,
               fmt::format("write to standard output: {}", std::generic_category().message(errno)));
}

Result<void> Output::as_stored(std::string_view text) {
  return bytes(terminal_ ? harmless(text) : std::string(text));
}

void Output::remark(std::string_view text) {
  if (!quiet_ && !json_) line(harmless(text));
}

void Output::warn(std::string_view text) {
  if (json_)
    fmt::print(stderr, "{}\n",
               JsonObject().text("message_type", "warning").text("message", text).take());
  else
    fmt::print(stderr, "{}\n", harmless_line(text));
}

void Output::fail(const Error& error, int code) {
  std::fflush(stdout);
  if (!json_) {
    fmt::print(stderr, "error: {}\n", harmless_line(error.what()));
    if (!error.hint().empty()) fmt::print(stderr, "  {}\n", harmless(error.hint()));
    return;
  }
  JsonObject line;
  line.text("message_type", "exit_error").number("code", uint64_t(code));
  line.text("message", error.what());
  if (!error.hint().empty()) line.text("hint", error.hint());
  fmt::print(stderr, "{}\n", line.take());
}

std::string Output::shown(const std::string& name) const {
  if (!terminal_) return name;
  return harmless_line(name) == name ? name : harmless_line(holdfast::quoted(name));
}

}  // namespace holdfast::cli
