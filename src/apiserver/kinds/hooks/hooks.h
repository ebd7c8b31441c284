/// The rules of admissionregistration.k8s.io. CEL expressions are kept and not compiled.
#pragma once

#include "kinds/place.h"
#include "kinds/rules.h"

namespace holdfast::apiserver::hooks {

extern const KindRules kValidatingWebhooks;
extern const KindRules kMutatingWebhooks;
extern const KindRules kValidatingPolicy;
extern const KindRules kValidatingPolicyBinding;

// Defaults and checks that webhooks and policies share.
void default_match(model::Value& holder);  ///< matchPolicy and selectors
void default_rules(model::Value& holder, std::string_view list);
void check_rule(const Place& rule);
void check_match_conditions(const Place& conditions);

}  // namespace holdfast::apiserver::hooks
