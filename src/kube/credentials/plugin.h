/// Credentials from an exec plugin: what it is told, and what its answer means.
///
/// It finds in $KUBERNETES_EXEC_INFO
///   {"kind":"ExecCredential","apiVersion":V,"spec":{"interactive":false,"cluster":{…}}}
/// and prints
///   {"kind":"ExecCredential","apiVersion":V,"status":{"expirationTimestamp":"…","token":"…",
///    "clientCertificateData":"PEM","clientKeyData":"PEM"}}
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/config.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace holdfast::kube {

struct PluginAnswer {
  std::string token{}, certificate{}, key{};
  std::optional<WallTime> expires{};
};

/// Messages name the plugin and show nothing of what it printed.
Result<PluginAnswer> read_plugin_answer(const ExecPlugin& plugin, const std::string& printed,
                                        WallTime now);
/// The text of $KUBERNETES_EXEC_INFO. `ca` is the PEM text in force.
std::string plugin_info(const Config& config, const std::string& ca, bool interactive);

Result<PluginAnswer> run_plugin(const Config& config, const std::string& ca, const Clock& clock,
                                std::chrono::milliseconds limit, const std::stop_token& stop);

}  // namespace holdfast::kube
