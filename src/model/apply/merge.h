/// The three operations on values that an apply is made of.
#pragma once

#include "apply/field_set.h"
#include "apply/types.h"

#include <string>

namespace holdfast::model::apply {

/// `live` with what `config` says laid over it. Lists that merge keep the items of both, in the
/// order of `config` where it has a say. Both must have passed `check_typed` or be what the server
/// stored.
Value merge(Arena& arena, const TypeRef& type, const Value& live, const Value& config);

/// `object` without the fields and items in `gone`. A list or map that loses everything becomes
/// null.
Value remove_items(Arena& arena, const TypeRef& type, const Value& object, const Set& gone);

/// Drops members that are null where the type knows no null, as decoding into the kind would.
void drop_nulls(const TypeRef& type, Value& object);

/// "" if `object` fits its type and no merging list has two items of one key; else the sentence
/// that the server says.
std::string check_typed(Arena& arena, const TypeRef& type, const Value& object);

}  // namespace holdfast::model::apply
