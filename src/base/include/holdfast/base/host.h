/// Host name, and the identity of this process: user, ids and pid.
#pragma once

#include <cstdint>
#include <string>

namespace holdfast {

/// "node-7"; in a pod, the pod's name. "unknown" if the system does not say.
std::string host_name();

struct Identity {
  std::string user{};  ///< the number, if it has no name
  uint32_t uid = 0, gid = 0;
  int pid = 0;
};
Identity identity();

}  // namespace holdfast
