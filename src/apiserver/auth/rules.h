/// Policy rules as such: what one allows, and whether a set of them covers another.
#pragma once

#include <holdfast/model/json.h>

#include "auth/authorizer.h"

namespace holdfast::apiserver {

PolicyRule read_rule(const model::Value& rule);
bool allows(const PolicyRule& rule, const Attributes& what);
/// The parts of `wanted` that `held` does not give, one verb, group, resource and name each.
std::vector<PolicyRule> not_covered(const std::vector<PolicyRule>& held,
                                    const std::vector<PolicyRule>& wanted);
/// {APIGroups:[""], Resources:["pods"], Verbs:["get"]}
std::string compact_text(const PolicyRule& rule);

}  // namespace holdfast::apiserver
