/// What this machine calls itself.
#pragma once

#include <string>

namespace holdfast {

/// "node-7"; in a pod, the pod's name. "unknown" if the system does not say.
std::string host_name();

}  // namespace holdfast
