#include <holdfast/base/process.h>

#include "start_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace holdfast {
namespace {

Error failure(std::string_view doing, const std::string& name, int cause) {
  const Fault fault = cause == ENOENT ? Fault::NotFound : Fault::Denied;
  return {fault, fmt::format("{} {}: {}", doing, name, std::generic_category().message(cause))};
}

/// A thread that waits in read() hears of nothing else.
constexpr int kLookMilliseconds = 200;

Result<size_t> read_from(int fd, const std::string& name, char* into, size_t most,
                         const std::stop_token& stop) {
  for (;;) {
    pollfd ready{fd, POLLIN, 0};
    const int events = poll(&ready, 1, kLookMilliseconds);
    if (stop.stop_requested()) return Error(Fault::Unavailable, "read " + name + ": stopped");
    if (events == 0 || (events < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(fd, into, most);
    if (got >= 0) return size_t(got);
    if (errno != EINTR) return failure("read", name, errno);
  }
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) return Error(Fault::Invalid, fmt::format("a {} is not closed", quote));
  if (inside) words.push_back(std::move(word));
  return words;
}

Result<Process> Process::start(const std::vector<std::string>& words) {
  if (words.empty()) return Error(Fault::Invalid, "run a program: no name is given");
  Spawned spawned = spawn(words);
  if (spawned.cause != 0) return failure("run", words.front(), spawned.cause);
  return Process(words.front(), spawned.pid, std::move(spawned.output));
}

Process::Process(Process&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)) {}

Process::~Process() {
  output_.reset();
  if (pid_ < 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

Result<size_t> Process::read(char* into, size_t most, const std::stop_token& stop) {
  return read_from(output_.get(), "what is printed by " + name_, into, most, stop);
}

Result<size_t> read_input(char* into, size_t most, const std::stop_token& stop) {
  return read_from(STDIN_FILENO, "standard input", into, most, stop);
}

Result<void> Process::finish() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) return failure("wait for", name_, errno);
  pid_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ok();
  if (WIFSIGNALED(status))
    return Error(Fault::Invalid, fmt::format("{} died of signal {}", name_, WTERMSIG(status)));
  return Error(Fault::Invalid, fmt::format("{} ended with code {}", name_, WEXITSTATUS(status)));
}

Result<std::string> output_of(const std::vector<std::string>& words) {
  Process process = HF_TRY(Process::start(words));
  std::string all;
  char block[4096];
  for (;;) {
    const size_t got = HF_TRY(process.read(block, sizeof block));
    if (got == 0) break;
    all.append(block, got);
  }
  HF_TRY(process.finish());
  return all;
}

}  // namespace holdfast
