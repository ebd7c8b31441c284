/// Seccomp profiles that both levels forbid.
#pragma once

#include "admission/pod_security/checks.h"

namespace holdfast::apiserver::pod_security {

/// Pods and containers that name a profile other than RuntimeDefault and Localhost. Pure.
std::optional<Violation> forbidden_seccomp(const PodIn& pod);

}  // namespace holdfast::apiserver::pod_security
