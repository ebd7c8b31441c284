/// Field sets of an object, and of the differences between two versions of it.
#pragma once

#include "apply/field_set.h"
#include "apply/types.h"

#include <optional>

namespace holdfast::model::apply {

/// No field is in more than one of the three.
struct Comparison {
  Set removed;
  Set modified;
  Set added;
};

/// Nothing if a list that merges by key holds an item without one. Items that share a key are
/// compared as one piece.
std::optional<Comparison> compare(Arena& arena, const TypeRef& type, const Value& before,
                                  const Value& after);

/// Every leaf and every item of merging lists and maps that the object mentions.
Set field_set_of(Arena& arena, const TypeRef& type, const Value& object);

/// `set` and the named fields above its members: removing `spec.a.b` may then leave no empty
/// `spec.a` behind.
Set with_named_parents(Arena& arena, const TypeRef& type, const Set& set);

}  // namespace holdfast::model::apply
