/// The Kubernetes version that the server behaves like, and its own.
#pragma once

#include <string_view>

namespace holdfast::apiserver {

inline constexpr std::string_view kServedVersion = "v1.34.4+holdfast." HOLDFAST_VERSION;

}  // namespace holdfast::apiserver
