// Defaults of custom objects: set inside parents that are there, never creating a parent.
#include <holdfast/model/structural.h>

namespace holdfast::model {
namespace {

bool is_forbidden_null(const Value& value, const Schema* schema) {
  return value.is_null() && schema && !schema->nullable;
}

void set_member_defaults(Object& object, const Shape& shape) {
  for (const Field& field : shape.fields) {
    if (!field.schema.default_value) continue;
    Value* there = object.if_contains(field.name);
    if (!there)
      object.emplace(field.name, *field.schema.default_value);
    else if (is_forbidden_null(*there, &field.schema))
      *there = *field.schema.default_value;
  }
}

}  // namespace

void set_defaults(Value& object, const Schema& schema) {
  const Schema* items = schema.items;
  if (Object* members = object.if_object()) {
    if (schema.shape) set_member_defaults(*members, *schema.shape);
    for (auto& member : *members) {
      const Field* field = schema.shape ? schema.shape->find(member.key()) : nullptr;
      const Schema* inner = field ? &field->schema : schema.type == Type::Array ? nullptr : items;
      if (!inner) continue;
      if (!field && is_forbidden_null(member.value(), inner) && inner->default_value)
        member.value() = *inner->default_value;
      set_defaults(member.value(), *inner);
    }
  } else if (Array* array = object.if_array(); array && items && schema.type != Type::Map) {
    for (Value& item : *array) {
      if (is_forbidden_null(item, items) && items->default_value) item = *items->default_value;
      set_defaults(item, *items);
    }
  }
}

}  // namespace holdfast::model
