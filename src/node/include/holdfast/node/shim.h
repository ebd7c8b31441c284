/// The process that stands between a pod and its node: it owns the containers' pipes, logs and exit
/// codes, and lives on when the node does not. `holdfast shim` is started by the node alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::node {

/// Leaves the caller's session and goes on in a process of its own; returns there once the pod has
/// ended, and in the caller as soon as that process serves (0) or has said why not (1) on stderr.
int run_shim(const std::filesystem::path& folder, int listener);

/// Why pods cannot have user namespaces of their own on this machine: what the kernel answered when
/// all that they need was tried, in the folder `scratch` and on the file systems of `images`. "" if
/// they can.
std::string try_user_namespaces(const std::filesystem::path& scratch,
                                const std::vector<std::string>& images);

}  // namespace holdfast::node
