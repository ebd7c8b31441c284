// Merge types of a Schema, as the real server derives them from its OpenAPI.

#include "apply/types.h"

#include <holdfast/base/text.h>
#include <holdfast/model/kinds.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model::apply {
namespace {

const Schema& deduced() {
  static const Schema schema;
  return schema;
}

const Schema& plain_text() {
  static const Schema schema = [] {
    Schema text;
    text.type = Type::String;
    return text;
  }();
  return schema;
}

const Schema& object_meta() {
  static const Schema schema = [] {
    Schema meta;
    meta.type = Type::Object;
    meta.go = GoType::Struct;
    meta.shape = Kinds::builtin().shape("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    return meta;
  }();
  return schema;
}

// Only built-in shapes have a name; the schema of a whole kind may lack a Go type of its own.
bool is_builtin(const Schema& schema) {
  return schema.go != GoType::None || (schema.shape && !schema.shape->name.empty());
}

bool has_fields(const Schema& schema) { return schema.shape && !schema.shape->fields.empty(); }

// A built-in list without a list type merges by its strategic merge key, or as a set if it has
// none.
bool merges_by_patch_key(const Schema& schema) {
  return schema.list_type == ListType::Unset && schema.go != GoType::None &&
         (schema.patch_strategy & kPatchMerge) != 0;
}

std::span<const std::string> keys_of(const Schema& list) {
  if (list.list_type == ListType::Map) return list.list_keys;
  if (merges_by_patch_key(list) && !list.patch_merge_key.empty()) return {&list.patch_merge_key, 1};
  return {};
}

const Value* zero_of(Type type) {
  static const Value text = "";
  static const Value number = 0;
  static const Value boolean = false;
  switch (type) {
    case Type::String:
      return &text;
    case Type::Integer:
    case Type::Number:
      return &number;
    case Type::Boolean:
      return &boolean;
    default:
      return nullptr;
  }
}

// The published default; for a built-in that is always printed, that is Go's zero value.
const Value* key_default(const TypeRef& item, std::string_view name) {
  const Field* field = declared_field(item, name);
  if (!field) return nullptr;
  if (field->schema.default_value) return &*field->schema.default_value;
  const bool always_there =
      field->schema.go != GoType::None && !field->schema.go_pointer && !field->omit_empty;
  return always_there ? zero_of(field->schema.type) : nullptr;
}

std::optional<Element> refuse(std::string* why, std::string text) {
  if (why) *why = std::move(text);
  return std::nullopt;
}

std::optional<Element> keyed_element(Arena& arena, const TypeRef& list,
                                     std::span<const std::string> names, const Value& item,
                                     std::string* why) {
  if (item.is_null()) return refuse(why, "associative list with keys may not have a null element");
  if (!item.is_object())
    return refuse(why, "associative list with keys may not have non-map elements");
  std::vector<KeyField> keys;
  for (const std::string& name : names) {
    if (const Value* value = item.get_object().if_contains(name)) {
      keys.push_back({name, value});
    } else if (const Value* otherwise = key_default(item_type(list), name)) {
      keys.push_back({name, otherwise});
    }
  }
  if (keys.empty()) {
    std::vector<std::string> words;
    for (const std::string& name : names) words.push_back(quoted(name));
    return refuse(why,
                  fmt::format("associative list with keys has an element that omits all key "
                              "fields [{}] (and doesn't have default values for any key fields)",
                              join(words, " ")));
  }
  std::sort(keys.begin(), keys.end(),
            [](const KeyField& a, const KeyField& b) { return a.name < b.name; });
  return Element::key(arena.keep(keys));
}

std::optional<Element> set_element(const Value& item, std::string* why) {
  if (item.is_object())
    return refuse(why, "associative list without keys has an element that's a map type");
  if (item.is_array()) return refuse(why, "not supported: associative list with lists as elements");
  if (item.is_null())
    return refuse(why, "associative list without keys has an element that's an explicit null");
  return Element::value(&item);
}

Value zero_shape(const Shape& shape) {
  Object out;
  for (const Field& field : shape.fields) {
    if (field.inlined || field.schema.go_pointer) continue;
    switch (field.schema.go) {
      case GoType::Struct:
        if (field.schema.shape) out.emplace(field.name, zero_shape(*field.schema.shape));
        break;
      case GoType::Time:
      case GoType::MicroTime:
        out.emplace(field.name, nullptr);
        break;
      default:
        if (field.omit_empty) break;
        if (const Value* zero = zero_of(field.schema.type)) {
          out.emplace(field.name, *zero);
        } else {
          out.emplace(field.name, nullptr);
        }
    }
  }
  return out;
}

}  // namespace

TypeRef root_type(const Schema& schema) { return {&schema, false, true}; }

uint8_t forms(const TypeRef& type) {
  if (!type.schema) return kAnyForm;
  switch (type.schema->type) {
    case Type::Any:
      return kAnyForm;
    case Type::Object:
    case Type::Map:
      return kMap;
    case Type::Array:
      return kList;
    default:
      return kScalar;
  }
}

uint8_t deduce(uint8_t allowed, const Value* value) {
  if (!value || value->is_null()) return allowed;
  const uint8_t form = value->is_object() ? kMap : value->is_array() ? kList : kScalar;
  return (allowed & form) != 0 ? form : allowed;
}

Form pick(uint8_t allowed) {
  if ((allowed & kMap) != 0) return kMap;
  return (allowed & kScalar) != 0 ? kScalar : kList;
}

bool list_is_atomic(const TypeRef& type) {
  if (!type.schema) return true;
  const Schema& schema = *type.schema;
  if (schema.list_type == ListType::Set) return false;
  if (schema.list_type == ListType::Map) return schema.list_keys.empty();
  return !merges_by_patch_key(schema);
}

bool map_is_atomic(const TypeRef& type) {
  return type.schema &&
         (type.schema->map_type == MapType::Atomic || type.schema->go == GoType::RawExtension);
}

bool collapses(const TypeRef& type) {
  if (!type.schema || type.schema->type == Type::Any) return false;
  switch (pick(forms(type))) {
    case kMap:
      return map_is_atomic(type);
    case kList:
      return list_is_atomic(type);
    default:
      return false;
  }
}

const Field* declared_field(const TypeRef& type, std::string_view name) {
  return type.schema && type.schema->shape ? type.schema->shape->find(name) : nullptr;
}

bool is_named(const TypeRef& type, std::string_view name) {
  if (declared_field(type, name)) return true;
  return type.root && (name == "metadata" || name == "apiVersion" || name == "kind");
}

TypeRef member_type(const TypeRef& type, std::string_view name) {
  if (!type.schema) return {&deduced(), type.preserve, false};
  const Schema& schema = *type.schema;
  const bool custom = !is_builtin(schema);
  if (custom && name == "metadata" && (type.root || schema.embedded_resource)) {
    const Field* field = declared_field(type, name);
    const bool typed = field && is_builtin(field->schema);
    return {typed ? &field->schema : &object_meta(), false, false};
  }
  if (custom && type.root && (name == "apiVersion" || name == "kind"))
    return {&plain_text(), false, false};
  const bool preserve = type.preserve || (custom && schema.preserve_unknown);
  if (const Field* field = declared_field(type, name)) return {&field->schema, preserve, false};
  if (schema.type == Type::Map && schema.items) return {schema.items, preserve, false};
  if (preserve || schema.type != Type::Object || !has_fields(schema))
    return {&deduced(), preserve, false};
  return {nullptr, preserve, false};
}

TypeRef item_type(const TypeRef& type) {
  if (!type.schema || !type.schema->items) return {&deduced(), type.preserve, false};
  const bool preserve =
      type.preserve || (!is_builtin(*type.schema) && type.schema->preserve_unknown);
  return {type.schema->items, preserve, false};
}

TypeRef type_at(const TypeRef& type, const Element& element) {
  if (element.kind() == Element::Kind::Field) return member_type(type, element.name());
  return item_type(type);
}

std::optional<Element> item_element(Arena& arena, const TypeRef& list, const Value& item,
                                    std::string* why) {
  const std::span<const std::string> keys =
      list.schema ? keys_of(*list.schema) : std::span<const std::string>();
  return keys.empty() ? set_element(item, why) : keyed_element(arena, list, keys, item, why);
}

Value zero_object(const Schema& schema) {
  if (!is_builtin(schema) || !schema.shape) return Object();
  return zero_shape(*schema.shape);
}

}  // namespace holdfast::model::apply
