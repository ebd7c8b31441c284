#include "repo/print/status_line.h"

#include <holdfast/base/terminal.h>
#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace holdfast::cli {

std::string percent(uint64_t done, uint64_t all) {
  return fmt::format("{:.1f}%", double(done) * 100 / double(all));
}

std::string pace_text(const Pace& pace, const std::string& details) {
  std::string text = size_text(pace.done);
  if (pace.all > pace.done)
    text = fmt::format("{}  {} of {}", percent(pace.done, pace.all), text, size_text(pace.all));
  if (!details.empty()) text += ", " + details;
  text += fmt::format(", {}/s", size_text(uint64_t(pace.per_second)));
  if (pace.left) text += ", ETA " + clock_text(*pace.left);
  return text;
}

StatusLine::StatusLine() : terminal_(is_terminal(Standard::Errors)) {}

void StatusLine::show(std::string line) {
  line = harmless_line(line);
  if (!terminal_) {
    fmt::print(stderr, "{}\n", line);
    return;
  }
  line.resize(std::min(line.size(), size_t(std::max(terminal_width() - 1, 20))));
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace holdfast::cli
