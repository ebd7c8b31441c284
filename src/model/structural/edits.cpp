/// Edits that an update may not make, by the rules of edit_rules.h. Equality is CEL's: sets and
/// lists of type map have no order, and a time or a duration may be written in another way.
#include <holdfast/model/structural.h>
#include <holdfast/model/time.h>

#include "structural/validate.h"

#include <algorithm>

namespace holdfast::model {
namespace structural {
namespace {

bool same(const Value& a, const Value& b, const Schema& schema);

template <class T>
bool same_when_read(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && *a == *b;
}

bool same_text(std::string_view a, std::string_view b, std::string_view format) {
  if (a == b) return true;
  if (format == "date-time") return same_when_read(parse_rfc3339(a), parse_rfc3339(b));
  return format == "duration" && same_when_read(parse_duration(a), parse_duration(b));
}

bool same_list(const Array& a, const Value& b, const Schema& schema) {
  const Array& other = b.get_array();
  if (a.size() != other.size()) return false;
  if (schema.list_type == ListType::Set)
    return std::all_of(a.begin(), a.end(), [&](const Value& item) {
      return std::any_of(other.begin(), other.end(),
                         [&](const Value& each) { return equal(item, each); });
    });
  for (size_t i = 0; i < a.size(); ++i) {
    const Value* const old =
        schema.list_type == ListType::Map ? counterpart(a[i], schema, &b) : &other[i];
    if (!old || !(schema.items ? same(a[i], *old, *schema.items) : equal(a[i], *old))) return false;
  }
  return true;
}

/// The schema of a member; null where nothing is known of it.
const Schema* member_schema(const Schema& schema, std::string_view name) {
  if (const Field* field = schema.shape ? schema.shape->find(name) : nullptr) return &field->schema;
  return schema.type == Type::Array ? nullptr : schema.items;
}

bool same_object(const Object& a, const Object& b, const Schema& schema) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& member) {
           const Value* const other = b.if_contains(member.key());
           const Schema* const inner = member_schema(schema, member.key());
           return other &&
                  (inner ? same(member.value(), *other, *inner) : equal(member.value(), *other));
         });
}

bool same(const Value& a, const Value& b, const Schema& schema) {
  if (a.is_string() && b.is_string())
    return same_text(view(a.get_string()), view(b.get_string()), schema.format);
  if (a.is_array() && b.is_array()) return same_list(a.get_array(), b, schema);
  if (a.is_object() && b.is_object()) return same_object(a.get_object(), b.get_object(), schema);
  return equal(a, b);
}

/// Null counts as absent.
const Value* member_of(const Value* object, std::string_view name) {
  const Value* const out = object ? find(*object, {name}) : nullptr;
  return out && !out->is_null() ? out : nullptr;
}

bool is_kept(const EditRule& rule, const Value& value, const Value& old, const Schema& schema) {
  if (rule.member.empty()) return same(value, old, schema);
  const Value* const now = member_of(&value, rule.member);
  const Value* const before = member_of(&old, rule.member);
  if (!now || !before) return !now && !before;
  return same(*now, *before, *member_schema(schema, rule.member));
}

class Edits {
 public:
  explicit Edits(FieldErrors& errors) : errors_(errors) {}

  /// `old` is null where there was no value, or where it cannot be told which one it was.
  void check(const Value& value, const Value* old, const Schema& schema, const std::string& path) {
    if (value.is_null()) return;
    if (old && !old->is_null() && schema.limits) rules(value, *old, schema, path);
    if (const Array* list = value.if_array()) {
      if (!schema.items || !schema.items->has_rules || schema.type == Type::Map) return;
      for (size_t i = 0; i < list->size(); ++i)
        check((*list)[i], counterpart((*list)[i], schema, old), *schema.items, at(path, i));
    } else if (const Object* object = value.if_object()) {
      members(*object, schema.map_type == MapType::Atomic ? nullptr : old, schema, path);
    }
  }

 private:
  void rules(const Value& value, const Value& old, const Schema& schema, const std::string& path) {
    for (const EditRule& rule : schema.limits->edit_rules) {
      if (is_kept(rule, value, old, schema)) continue;
      const std::string place = rule.names_member ? child(path, rule.member) : path;
      errors_.push_back(invalid_field(place.empty() ? "<nil>" : place,
                                      Value(type_name(schema.type)), rule.message));
    }
  }

  void members(const Object& object, const Value* old, const Schema& schema,
               const std::string& path) {
    for (const auto& member : object) {
      const std::string_view name = member.key();
      const Schema* const inner = member_schema(schema, name);
      if (!inner || !inner->has_rules) continue;
      const bool listed = inner != schema.items;
      check(member.value(), member_of(old, name), *inner,
            listed ? child(path, name) : key(path, name));
    }
  }

  FieldErrors& errors_;
};

/// The real server asks no rule of an object that has such a fault.
bool keeps_rules_from_being_asked(const FieldError& error) {
  using Type = FieldError::Type;
  return error.type == Type::NotSupported || error.type == Type::Required ||
         error.type == Type::TooLong || error.type == Type::TooMany ||
         error.type == Type::TypeInvalid;
}

}  // namespace
}  // namespace structural

void check_rules(const Value& object, const Value* old, const Schema& schema, FieldErrors& errors) {
  if (!schema.has_rules) return;
  if (std::any_of(errors.begin(), errors.end(), structural::keeps_rules_from_being_asked))
    errors.push_back(
        invalid_field("<nil>", Value(),
                      "some validation rules were not checked because the object was invalid; "
                      "correct the existing errors to complete validation"));
  else
    structural::Edits(errors).check(object, old, schema, "");
}

}  // namespace holdfast::model
