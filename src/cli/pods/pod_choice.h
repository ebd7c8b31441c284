/// Pod and container of a command.
#pragma once

#include <holdfast/cli/server.h>

#include <string>

namespace holdfast::cli {

struct PodChoice {
  ServerChoice server{};
  std::string pod{};
  std::string container{};
};

void add_pod_options(CLI::App& command, PodChoice& choice);

/// "pod/web" is "web".
std::string pod_name(const std::string& text);

/// The container asked for; else the one that the pod's annotation names, else its first. Says on
/// standard error which of many it took.
Result<std::string> container_of(Server& server, const PodChoice& choice);

}  // namespace holdfast::cli
