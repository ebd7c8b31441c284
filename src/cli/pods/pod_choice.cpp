#include "pods/pod_choice.h"

#include <holdfast/base/text.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

std::vector<std::string> names_in(const model::Value& pod, std::string_view member) {
  std::vector<std::string> names;
  for (const model::Value& container : model::array_at(pod, {"spec", member}))
    names.emplace_back(model::string_at(container, {"name"}));
  return names;
}

}  // namespace

std::string pod_name(const std::string& text) {
  for (const std::string_view prefix : {"pod/", "pods/", "po/"})
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  return text;
}

void add_pod_options(CLI::App& command, PodChoice& choice) {
  command.add_option("POD", choice.pod, "name of the pod, or pod/NAME")->required();
  command.add_option("-c,--container", choice.container,
                     "name of the container; default: the pod's annotation, else its first");
  add_server_options(command, choice.server);
}

Result<std::string> container_of(Server& server, const PodChoice& choice) {
  if (!choice.container.empty()) return choice.container;
  auto pod = server.client().get(kube::kPods, server.ns(), pod_name(choice.pod));
  if (!pod) return std::move(pod.take_error().error);
  std::vector<std::string> names = names_in(*pod, "containers");
  const std::string first = names.empty() ? "" : names.front();
  const std::string named(model::string_at(*pod, {"metadata", "annotations", kDefaultContainer}));
  for (const char* member : {"ephemeralContainers", "initContainers"})
    for (std::string& name : names_in(*pod, member)) names.push_back(std::move(name));
  if (std::find(names.begin(), names.end(), named) != names.end()) return named;
  if (names.size() > 1)
    fmt::print(stderr, "Defaulted container {} out of: {}\n", holdfast::quoted(first),
               join(names, ", "));
  return first;
}

}  // namespace holdfast::cli
