/// RBAC: roles and bindings as they are in the store, kept as an index that never lags behind it.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/status.h>

#include "auth/user.h"
#include "store/store.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::apiserver {

struct PolicyRule {
  std::vector<std::string> verbs, api_groups, resources, resource_names, non_resource_urls;
};

/// Passive and safe to use from many threads. Registers itself as a view of the store (on_change).
class Authorizer {
 public:
  static std::unique_ptr<Authorizer> make(Store& store);
  virtual ~Authorizer() = default;
  /// system:masters may do everything.
  virtual Decision authorize(const User& user, const Attributes& what) const = 0;
  /// For SelfSubjectRulesReview: every rule that applies to the user in the namespace.
  virtual std::vector<PolicyRule> rules_for(const User& user, std::string_view ns) const = 0;

  /// May `user` create or change this Role, ClusterRole, RoleBinding or ClusterRoleBinding?
  /// Escalation check with the `escalate` and `bind` verbs; the Status is the 403 with the real
  /// server's sentence.
  virtual model::Answer<bool> check_escalation(const User& user, const model::GroupKind& kind,
                                               const model::Value& object,
                                               const model::Value* old) const = 0;
};

/// The default ClusterRoles, ClusterRoleBindings, Roles and RoleBindings, as JSON objects ready to
/// be created.
const std::vector<model::Value>& default_rbac_objects();

}  // namespace holdfast::apiserver
