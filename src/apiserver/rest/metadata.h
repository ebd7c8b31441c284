/// Metadata of every object, whatever its kind: who may set what, and which values are well formed.
#pragma once

#include "rest/api.h"

namespace holdfast::apiserver {

/// uid, creationTimestamp, name from generateName; drops what a client may not set on create. The
/// namespace must be absent or the request's.
Answer<void> prepare_new_metadata(Value& object, const Resource& resource, std::string_view ns,
                                  const Clock& clock, Random& random);
/// Copies over what an update cannot change: creationTimestamp, deletion marks, generation; fills
/// an absent uid.
Answer<void> prepare_updated_metadata(Value& object, const Value& old, const Resource& resource,
                                      std::string_view ns);

/// Names, labels, annotations, finalizers, owner references, managedFields.
void validate_metadata(const Value& object, const Resource& resource, model::FieldErrors& errors);
/// What may not differ between two versions of one object.
void validate_metadata_update(const Value& object, const Value& old, model::FieldErrors& errors);

}  // namespace holdfast::apiserver
