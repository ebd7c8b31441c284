/// Pod of a restore that puts the log of a server back: it mounts what was made of the log's cut,
/// and the volumes that the server will find its folder and its log on.
#pragma once

#include <holdfast/model/json.h>
#include <holdfast/protect/cut/server_log.h>

#include <string>
#include <vector>

namespace holdfast::protect {

/// Claims that the pod mounts.
struct LogClaims {
  std::string kept{};  ///< made of the log's cut
  std::string data{};  ///< with the server's folder
  std::string log{};   ///< "": the same; in a pod twice, it is never mounted by some kubelets
};

/// The spec of a pod that runs once.
model::Object log_pod(const LogRecord& log, const LogClaims& claims, const std::string& image,
                      const std::vector<std::string>& command);

}  // namespace holdfast::protect
