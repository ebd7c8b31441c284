/// An object's three forms: the text in the store, the value that rules work on, the text that a
/// client gets.
#pragma once

#include "rest/api.h"

namespace holdfast::apiserver {

/// Serialises `object` around its resourceVersion. The members apiVersion and kind come first.
Draft make_draft(const Value& object);
/// What the store would hold after writing `draft` at `revision`; for dry runs. Revision 0 leaves
/// resourceVersion out.
StoredPtr as_stored(Draft draft, Revision revision);

/// Parsed, in the stored version.
Value parse_stored(const Stored& stored);
/// Parsed and converted to the version that `resource` serves.
Value to_served(const Stored& stored, const Resource& resource);
/// The text in the version that `resource` serves; no parsing when that is the stored one.
std::string served_text(const Stored& stored, const Resource& resource);
/// `object` (in the version of `resource`) into the stored version.
void convert_to_stored(Value& object, const Resource& resource);
void convert_from_stored(Value& object, const Resource& resource);

}  // namespace holdfast::apiserver
