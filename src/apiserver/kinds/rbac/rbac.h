/// The rules of rbac.authorization.k8s.io.
#pragma once

#include "kinds/rules.h"

namespace holdfast::apiserver::rbac {

extern const KindRules kRole;
extern const KindRules kClusterRole;
extern const KindRules kRoleBinding;
extern const KindRules kClusterRoleBinding;

}  // namespace holdfast::apiserver::rbac
