/// Rules for a CRD's schema; one function per family of rules, in the words of apiextensions. All
/// append to `errors`; members are visited in sorted order, where Go's order is random.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/schema.h>

#include "structural/props.h"

namespace holdfast::model::structural {

/// A schema is structural if every value's type is known without evaluating allOf, anyOf, oneOf or
/// not: only then can objects be pruned and defaulted. Sorted by text, as the real server does.
void check_structural(const Props& root, const std::string& path, FieldErrors& errors);

/// False if the schema uses what structural schemas have no place for; then only check_open_api has
/// something to say.
bool is_convertible(const Props& node);

/// The subset of OpenAPI v3 that CRDs may use, and what list and map types ask of their schemas.
void check_open_api(const Props& root, const std::string& path, FieldErrors& errors);

/// Defaults must obey the schema that gives them.
void check_defaults(const Schema& root, const std::string& path, FieldErrors& errors);

/// Go's sentence for an expression that does not compile; empty if it does.
std::string regexp_complaint(const std::string& pattern);

}  // namespace holdfast::model::structural
