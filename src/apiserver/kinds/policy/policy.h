/// The rules of the kinds that say who goes first and who may go at all: disruption budgets,
/// priorities, leases.
#pragma once

#include "kinds/rules.h"

namespace holdfast::apiserver::policy {

extern const KindRules kPodDisruptionBudget;
extern const KindRules kPriorityClass;
extern const KindRules kLease;

}  // namespace holdfast::apiserver::policy
