/// CustomResourceDefinition objects: defaults, validation, and what the server says of them in
/// their status. Pure functions on decoded values; the sentences are the real server's.
///
/// Conversion by webhook is accepted as an object and not carried out; of CEL rules those are
/// enforced that forbid edits of a field, the others are only kept. `warn_definition` says so.
#pragma once

#include <holdfast/model/field_error.h>

#include "kinds/rules.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver {

/// The functions below as the rules of apiextensions.k8s.io/CustomResourceDefinition.
const KindRules& definition_rules();

/// singular, listKind, conversion None, the webhook service's port.
void default_definition(model::Value& definition);
/// Clears status; the storage version becomes the first stored one.
void prepare_definition_create(model::Value& definition);
/// Takes over `old`'s status and adds the storage version to the stored ones.
void prepare_definition_update(model::Value& definition, const model::Value& old);

/// Everything but generic metadata.
void validate_definition(const model::Value& definition, model::FieldErrors& errors);
/// Also that group and plural, and scope and kind once established, stay as they are.
void validate_definition_update(const model::Value& definition, const model::Value& old,
                                model::FieldErrors& errors);
void validate_definition_status(const model::Value& definition, const model::Value& old,
                                model::FieldErrors& errors);
/// Parts that are accepted but not enforced, and formats nobody knows.
void warn_definition(const model::Value& definition, std::vector<std::string>& warnings);

/// Decides which of the wanted names the definition gets (those that no other definition of its
/// group holds) and writes acceptedNames and the conditions NamesAccepted, Established and, for
/// groups of the Kubernetes community, KubernetesAPIApprovalPolicyConformant. Established stays
/// once it is True. `others`: the other definitions, of any group. `now`: RFC 3339.
/// Returns whether the status changed.
bool settle_definition(model::Value& definition, const std::vector<const model::Value*>& others,
                       std::string_view now);

/// True if condition `type` is True.
bool has_condition(const model::Value& definition, std::string_view type);

}  // namespace holdfast::apiserver
