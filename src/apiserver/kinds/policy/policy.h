/// The rules of disruption budgets, priority classes and leases.
#pragma once

#include "kinds/rules.h"

namespace holdfast::apiserver::policy {

extern const KindRules kPodDisruptionBudget;
extern const KindRules kPriorityClass;
extern const KindRules kLease;

}  // namespace holdfast::apiserver::policy
