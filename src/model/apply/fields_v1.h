/// Field sets as Kubernetes writes them in metadata.managedFields, and as it names them in
/// sentences.
///
///   {"f:spec":{"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}
///
/// f: a member, k: a list item by its keys, v: a list item by its value, i: by index; "." says that
/// the parent is in the set itself; a step with nothing below it is in the set.
#pragma once

#include "apply/field_set.h"
#include "apply/types.h"

#include <optional>
#include <string>

namespace holdfast::model::apply {

struct DecodedFields {
  Set set;
  /// Writing `set` would not give back what was read: the type has become atomic since, or steps
  /// were unknown.
  bool changed = false;
};

/// Reads a fieldsV1 value by the type of the object it speaks of. Below an atomic list or map
/// nothing can be owned: such entries (from before the type became atomic) count for the whole.
/// Nothing if it is not a field set.
std::optional<DecodedFields> decode_fields(Arena& arena, const Value& fields, const TypeRef& type);

Value encode_fields(const Set& set);

/// `.spec.containers[name="web"].image`
std::string path_text(std::span<const Element> path);
std::string element_text(const Element& element);

}  // namespace holdfast::model::apply
