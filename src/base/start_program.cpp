#include "start_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <map>

extern char** environ;

namespace holdfast {
namespace {

/// Null-terminated pointers into texts, as exec wants them.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Each name once: with two of the same, which one a program sees is anybody's guess.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& more) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : more) variables[name] = value;
  std::vector<std::string> out;
  out.reserve(variables.size());
  for (const auto& [name, value] : variables) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

}  // namespace

Spawned spawn(std::vector<std::string> words, const SpawnWith& with) {
  Spawned out;
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return {.cause = errno};
  out.output = Descriptor(ends[0]);
  const Descriptor written(ends[1]);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, written.get(), STDOUT_FILENO);
  // What else we were told to ignore (nohup), the program shall ignore too.
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  sigaddset(&standard, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (with.apart) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    flags |= POSIX_SPAWN_SETPGROUP;
  }
  posix_spawnattr_setflags(&attributes, flags);
  std::vector<std::string> variables = environment_with(with.env);
  const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(variables);
  pid_t pid = -1;
  out.cause = posix_spawnp(&pid, words.front().c_str(), &actions, &attributes, arguments.data(),
                           environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (out.cause == 0) out.pid = pid;
  return out;
}

}  // namespace holdfast
