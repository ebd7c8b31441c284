/// The names that pods find services and each other by, as lines of /etc/hosts.
#pragma once

#include <holdfast/kube/cached.h>

#include <string>
#include <utility>
#include <vector>

namespace holdfast::node {

/// For pods of `ns`: every service by its full name, those of the namespace by the short one too;
/// each pod with a hostname behind a headless service by its own. A service with a virtual address
/// resolves to its pods, since pods of one machine reach each other directly.
std::string service_names(const std::string& ns, const std::vector<kube::Cached>& slices);
/// {"DB_SERVICE_HOST", …} for pods of `ns`.
std::vector<std::pair<std::string, std::string>> service_variables(
    const std::string& ns, const std::vector<kube::Cached>& services);

}  // namespace holdfast::node
