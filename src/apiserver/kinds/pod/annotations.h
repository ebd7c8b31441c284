/// Annotations of pods by which profiles were named before there were fields for it.
#pragma once

#include <string_view>

namespace holdfast::apiserver::pod {

inline constexpr std::string_view kSeccompPod = "seccomp.security.alpha.kubernetes.io/pod";
/// And the container's name.
inline constexpr std::string_view kSeccompContainer =
    "container.seccomp.security.alpha.kubernetes.io/";
/// And the container's name.
inline constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";

inline bool is_seccomp_annotation(std::string_view name) {
  return name == kSeccompPod || name.starts_with(kSeccompContainer);
}

}  // namespace holdfast::apiserver::pod
