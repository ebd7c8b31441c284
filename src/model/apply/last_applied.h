/// The annotation in which `kubectl apply` keeps what it applied last. When the same user turns to
/// server-side apply, fields that the annotation vouches for are no conflict, and the annotation
/// follows what is applied, so that going back works.
#pragma once

#include "apply/ownership.h"

namespace holdfast::model::apply {

/// Fields that the annotation of `live` claims and that still have the value it claims.
Set fields_from_annotation(Arena& arena, const TypeRef& type, const Value& live,
                           std::string_view api_version);

/// Rewrites the annotation, if `object` has one, to say `config`.
void update_annotation(Value& object, const Value& config);

}  // namespace holdfast::model::apply
