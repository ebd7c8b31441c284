#include <holdfast/base/terminal.h>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

namespace holdfast {
namespace {

constexpr int kUsualWidth = 80;
std::atomic<bool> asking{false};
termios before{};

}  // namespace

bool is_terminal(Standard stream) { return isatty(int(stream)) == 1; }

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return size.ws_col;
}

WindowSize window_size() {
  winsize size{};
  for (const int fd : {STDOUT_FILENO, STDIN_FILENO})
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
      return {.columns = size.ws_col, .rows = size.ws_row};
  return {};
}

Result<RawTerminal> RawTerminal::enter() {
  if (!is_terminal(Standard::Input) || tcgetattr(STDIN_FILENO, &before) != 0)
    return Error(Fault::Invalid, "standard input is no terminal");
  termios raw = before;
  cfmakeraw(&raw);
  asking = true;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  return RawTerminal(true);
}

RawTerminal::~RawTerminal() {
  if (owns_) restore_terminal();
}

Result<std::string> ask_secret(const std::string& prompt) {
  if (!is_terminal(Standard::Input) || tcgetattr(STDIN_FILENO, &before) != 0)
    return Error(Fault::Invalid, prompt + ": standard input is no terminal");
  termios silent = before;
  silent.c_lflag &= ~tcflag_t(ECHO);
  asking = true;
  // Silent first: what is typed once the prompt is seen must be neither echoed nor flushed away.
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  fmt::print(stderr, "{}: ", prompt);
  std::fflush(stderr);
  std::string line;
  char c = 0;
  ssize_t got = 0;
  while ((got = read(STDIN_FILENO, &c, 1)) == 1 || (got < 0 && errno == EINTR)) {
    if (got != 1) continue;
    if (c == '\n') break;
    line += c;
  }
  restore_terminal();
  fmt::print(stderr, "\n");
  if (got <= 0 && line.empty()) return Error(Fault::Invalid, prompt + ": nothing was typed");
  return line;
}

bool restore_terminal() {
  if (!asking.exchange(false)) return false;
  // Drained, not flushed: what was typed ahead is for who reads next.
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  return true;
}

}  // namespace holdfast
