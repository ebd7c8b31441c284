/// Objects that every cluster has from its first moment: namespaces, default roles, system priority
/// classes, Service kubernetes.
#pragma once

#include "rest/api.h"

namespace holdfast::apiserver {

/// Creates what is missing; what is there stays as it is, but default roles get back the rules that
/// were taken from them (unless annotated rbac.authorization.kubernetes.io/autoupdate=false).
Result<void> bootstrap(Api& api, const std::string& address);

}  // namespace holdfast::apiserver
