/// A container's environment, command and arguments, with kubelet's rules of order and expansion.
#pragma once

#include <holdfast/base/result.h>

#include "pods/pod.h"

#include <functional>

namespace holdfast::node {

/// What values may come from, beside the pod itself.
struct EnvSources {
  /// NotFound if there is none; the message of another failure is shown as it is.
  std::function<Result<model::Value>(const std::string&name)> config_map, secret;
  std::string node_name{}, host_ip{}, pod_ip{};
  int64_t cpu_millis = 0, memory_bytes = 0;  ///< of the machine: limits of who has none
  /// Of services: {"DB_SERVICE_HOST", "127.64.0.2"}, …
  std::vector<std::pair<std::string, std::string>> services{};
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Invalid says in kubelet's words what is missing (the message of CreateContainerConfigError).
Result<Variables> environment_of(const Pod& pod, const ContainerDef& container,
                                 const EnvSources& sources);
/// $(NAME) becomes its value, $$(NAME) stays as $(NAME), an unknown name stays as it is.
std::string expand(std::string_view text, const Variables& variables);
/// `metadata.labels['app']` and the others that a pod can tell about itself; nothing if there is no
/// such field.
std::optional<std::string> field_of(const Pod& pod, std::string_view path,
                                    const EnvSources& sources);
/// `limits.memory` and the like of a container, divided and rounded up.
Result<std::string> resource_of(const ContainerDef& container, std::string_view resource,
                                std::string_view divisor, const EnvSources& sources);

}  // namespace holdfast::node
