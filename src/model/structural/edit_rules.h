/// Fields that do not change once they are set, as the CEL rules of a CRD that say so: the only
/// rules that are written here, and the only ones that are understood and enforced.
///
///   at the field     self == oldSelf
///   at its parent    has(self.x) == has(oldSelf.x) && (!has(self.x) || self.x == oldSelf.x)
///
/// A rule is asked only where there is a value and was one before. So the first form is for fields
/// that are always there; the second also refuses that an optional one comes or goes.
#pragma once

#include <holdfast/model/schema.h>

#include "structural/props.h"

namespace holdfast::model::structural {

Object rule_at_field(std::string_view name);
/// Names the field as the place of the error.
Object rule_at_parent(std::string_view name);

/// `shape`: members of the object at which the rule stands, or null. Nothing: any other rule.
std::optional<EditRule> read_edit_rule(const Props& rule, const Shape* shape);

}  // namespace holdfast::model::structural
