/// Checks inside objects beyond the value checks: elements of sets and maps are told apart, and
/// embedded resources are resources.
#include <holdfast/base/text.h>
#include <holdfast/model/names.h>
#include <holdfast/model/object.h>
#include <holdfast/model/sorted.h>

#include "structural/object_meta.h"
#include "structural/validate.h"

#include <map>
#include <unordered_map>

namespace holdfast::model::structural {
namespace {

/// The element of each value's second appearance; further ones are not told again.
std::vector<size_t> repeated(const std::vector<Value>& values) {
  std::vector<size_t> out;
  std::unordered_map<std::string, int> seen;
  for (size_t i = 0; i < values.size(); ++i)
    if (++seen[to_json(values[i])] == 2) out.push_back(i);
  return out;
}

/// What tells the element apart in a map list: {"name":"a","port":1}.
Value key_of(const Value& item, const std::vector<std::string>& names) {
  Object out;
  for (const std::string& name : names)
    if (const Value* part = find(item, {name})) out.emplace(name, *part);
  return out;
}

void check_list(const Array& list, const Schema& schema, const std::string& path,
                FieldErrors& errors) {
  std::vector<Value> keys;
  for (size_t i = 0; i < list.size(); ++i) {
    if (schema.list_type == ListType::Map && !list[i].is_object() && !list[i].is_null()) {
      errors.push_back(
          invalid_field(at(path, i), list[i], "must be an object for an array of list-type map"));
      return;
    }
    keys.push_back(
        sorted(schema.list_type == ListType::Map ? key_of(list[i], schema.list_keys) : list[i]));
  }
  for (size_t i : repeated(keys)) errors.push_back(duplicate_field(at(path, i), keys[i]));
}

void check_resource(const Object& object, const std::string& path, FieldErrors& errors) {
  for (const char* name : {"apiVersion", "kind"}) {
    const Value* value = object.if_contains(name);
    const std::string where = child(path, name);
    if (!value) {
      errors.push_back(required_field(where, ""));
    } else if (!value->is_string()) {
      errors.push_back(invalid_field(where, *value, "must be a string"));
    } else if (value->get_string().empty()) {
      errors.push_back(invalid_field(where, *value, "must not be empty"));
    } else if (std::string_view(name) == "apiVersion") {
      auto parsed = GroupVersion::parse(view(value->get_string()));
      if (!parsed) errors.push_back(invalid_field(where, *value, parsed.error().what()));
    } else if (const Complaints complaints =
                   check_dns1035_label(to_lower(view(value->get_string())));
               !complaints.empty()) {
      errors.push_back(invalid_field(
          where, *value,
          "may have mixed case, but should otherwise match: " + join(complaints, ",")));
    }
  }
  const Value* metadata = object.if_contains("metadata");
  if (!metadata) return;
  const std::string where = child(path, "metadata");
  if (const std::string complaint = undecodable_metadata(*metadata); !complaint.empty())
    errors.push_back(invalid_field(where, *metadata, complaint));
  else
    check_metadata(*metadata, where, errors);
}

}  // namespace

void check_list_types(const Value& value, const Schema& schema, const std::string& path,
                      FieldErrors& errors) {
  if (schema.go != GoType::None) return;
  if (const Array* list = value.if_array(); list && schema.type != Type::Map) {
    if (schema.list_type == ListType::Set || schema.list_type == ListType::Map)
      check_list(*list, schema, path, errors);
    if (!schema.items) return;
    for (size_t i = 0; i < list->size(); ++i)
      check_list_types((*list)[i], *schema.items, at(path, i), errors);
  } else if (const Object* object = value.if_object()) {
    for (const auto& member : *object) {
      const Field* field = schema.shape ? schema.shape->find(member.key()) : nullptr;
      if (field)
        check_list_types(member.value(), field->schema, child(path, member.key()), errors);
      else if (schema.items && schema.type != Type::Array)
        check_list_types(member.value(), *schema.items, key(path, member.key()), errors);
    }
  }
}

void check_embedded(const Value& value, const Schema& schema, const std::string& path, bool self,
                    FieldErrors& errors) {
  if (schema.go != GoType::None) return;
  if (const Array* list = value.if_array(); list && schema.items && schema.type != Type::Map) {
    for (size_t i = 0; i < list->size(); ++i)
      check_embedded((*list)[i], *schema.items, at(path, i), true, errors);
  } else if (const Object* object = value.if_object()) {
    if (self && schema.embedded_resource) check_resource(*object, path, errors);
    for (const auto& member : *object) {
      const Field* field = schema.shape ? schema.shape->find(member.key()) : nullptr;
      if (field)
        check_embedded(member.value(), field->schema, child(path, member.key()), true, errors);
      else if (schema.items && schema.type != Type::Array)
        check_embedded(member.value(), *schema.items, key(path, member.key()), true, errors);
    }
  }
}

}  // namespace holdfast::model::structural
