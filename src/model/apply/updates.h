/// Ownership after a write; shared by plain updates and applies.
#pragma once

#include "apply/compare.h"
#include "apply/ownership.h"

namespace holdfast::model::apply {

/// `comparison` without what lies under `ignored`.
Comparison without_ignored(Arena& arena, const Comparison& comparison, const Set& ignored);

/// Takes the fields that changed or went away from all but `writer` (which may be null), and drops
/// who is left with nothing.
void take_from_others(Arena& arena, Owners& owners, const Comparison& comparison,
                      const Owner* writer);

/// Drops the entries of writers whose API group is not the object's: their versions are served no
/// more.
void drop_foreign_groups(Owners& owners, std::string_view api_version);

/// Records that `writer` changed `before` into `after`. False, with nothing recorded, if the
/// objects cannot be compared.
bool record_update(Arena& arena, Owners& owners, const TypeRef& type, const Value& before,
                   const Value& after, const Writer& writer, const Set& ignored);

}  // namespace holdfast::model::apply
