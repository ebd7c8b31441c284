/// Merge types of a Schema for server-side apply: which values may stand at a place, what merges
/// and what is one piece.
///
/// A place without a type is deduced from its value: objects merge member by member, lists are one
/// piece.
#pragma once

#include <holdfast/model/schema.h>

#include "apply/field_set.h"

#include <optional>
#include <span>
#include <string>

namespace holdfast::model::apply {

/// The type of a place. `schema` null: the place is not declared.
struct TypeRef {
  const Schema* schema = nullptr;
  bool preserve = false;  ///< an outer schema keeps unknown members, which holds for all below it
  bool root = false;      ///< the object itself: its metadata is ObjectMeta whatever a CRD says
};

TypeRef root_type(const Schema& schema);

/// Which of the three forms a value may have; a bit set.
enum Form : uint8_t { kScalar = 1, kList = 2, kMap = 4, kAnyForm = 7 };

uint8_t forms(const TypeRef& type);
/// The forms that are left once the value is seen; all of them if it is absent, null or of a form
/// that is not allowed.
uint8_t deduce(uint8_t allowed, const Value* value);
/// The form to treat it as when several are left.
Form pick(uint8_t allowed);

bool list_is_atomic(const TypeRef& type);
bool map_is_atomic(const TypeRef& type);
/// Nothing below can be owned on its own.
bool collapses(const TypeRef& type);

/// The member as a field that the type names; null if it is none of them.
const Field* declared_field(const TypeRef& type, std::string_view name);
/// True for members that the type names, as opposed to keys of a map; a root always names what all
/// objects have.
bool is_named(const TypeRef& type, std::string_view name);
TypeRef member_type(const TypeRef& type, std::string_view name);
TypeRef item_type(const TypeRef& type);
TypeRef type_at(const TypeRef& type, const Element& element);

/// How an associative list finds an item. Nothing if it cannot be found (no keys, null, …); then
/// `why` says so.
std::optional<Element> item_element(Arena& arena, const TypeRef& list, const Value& item,
                                    std::string* why = nullptr);

/// What Go prints of an empty object of the kind: the live object that a create is compared with.
Value zero_object(const Schema& schema);

}  // namespace holdfast::model::apply
