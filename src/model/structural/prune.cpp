/// Pruning as the real server does it while it decodes: members that the schema does not specify
/// go, then nulls where the schema neither allows null nor has a default to put there. In metadata,
/// of the root and of embedded resources, what ObjectMeta does not know goes too.
#include <holdfast/model/structural.h>

#include "structural/object_meta.h"

#include <algorithm>

namespace holdfast::model {
namespace {

bool is_meta_field(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

const Schema* member_schema(const Schema* schema, std::string_view name) {
  if (!schema) return nullptr;
  if (const Field* field = schema->shape ? schema->shape->find(name) : nullptr)
    return &field->schema;
  return schema->type == Type::Array ? nullptr : schema->items;
}

bool allows_more(const Schema& schema) {
  return schema.type == Type::Map || (schema.type != Type::Array && schema.items);
}

void erase_key(Object& object, std::string_view name) {
  // Object::erase moves the last member into the gap; the order of the others is what users see.
  const auto found = object.find(name);
  if (found != object.end()) object.stable_erase(found);
}

class Pruner {
 public:
  /// Null `schema`: nothing is specified here. `keep`: a list above keeps what is unknown, and its
  /// elements inherit that.
  void prune(Value& value, const Schema* schema, const std::string& path, bool keep = false) {
    keep = keep || (schema && schema->preserve_unknown);
    if (Object* object = value.if_object()) prune_object(*object, schema, keep, path);
    if (Array* array = value.if_array()) {
      const Schema* items = schema && schema->type != Type::Map ? schema->items : nullptr;
      if (keep && !items) return;
      for (size_t i = 0; i < array->size(); ++i) prune((*array)[i], items, at(path, i), keep);
    }
  }

  std::vector<std::string> take_unknown() {
    std::vector<std::string> out;
    for (std::vector<std::string>* paths : {&unknown_, &unknown_in_embedded_, &unknown_in_root_}) {
      std::sort(paths->begin(), paths->end());
      out.insert(out.end(), paths->begin(), paths->end());
    }
    return out;
  }

 private:
  void prune_object(Object& object, const Schema* schema, bool keep, const std::string& path) {
    std::vector<std::string> gone;
    for (auto& member : object) {
      const std::string_view name = member.key();
      const std::string where = child(path, name);
      if (schema && schema->embedded_resource && is_meta_field(name)) {
        if (name == "metadata") prune_metadata(member.value(), path, where);
        continue;
      }
      const Schema* inner = member_schema(schema, name);
      if (inner || (schema && allows_more(*schema)))
        prune(member.value(), inner, where);
      else if (!keep)
        gone.emplace_back(name);
    }
    for (const std::string& name : gone) {
      erase_key(object, name);
      if (!path.empty() || !is_meta_field(name)) unknown_.push_back(child(path, name));
    }
  }

  void prune_metadata(Value& metadata, const std::string& parent, const std::string& path) {
    Pruner inner;
    inner.prune(metadata, &structural::object_meta(), path);
    std::vector<std::string>& into = parent.empty() ? unknown_in_root_ : unknown_in_embedded_;
    into.insert(into.end(), inner.unknown_.begin(), inner.unknown_.end());
  }

  std::vector<std::string> unknown_, unknown_in_embedded_, unknown_in_root_;
};

bool is_droppable_null(const Value& value, const Schema* schema) {
  return value.is_null() && schema && !schema->nullable && !schema->default_value;
}

void drop_nulls(Value& value, const Schema* schema) {
  if (Object* object = value.if_object()) {
    std::vector<std::string> gone;
    for (auto& member : *object) {
      const Schema* inner = schema && schema->embedded_resource && member.key() == "metadata"
                                ? &structural::object_meta()
                                : member_schema(schema, member.key());
      if (is_droppable_null(member.value(), inner))
        gone.emplace_back(member.key());
      else
        drop_nulls(member.value(), inner);
    }
    for (const std::string& name : gone) erase_key(*object, name);
  } else if (Array* array = value.if_array()) {
    const Schema* items = schema && schema->type != Type::Map ? schema->items : nullptr;
    for (Value& item : *array) drop_nulls(item, items);
  }
}

std::optional<FieldError> malformed(const Value& value, const Schema* schema,
                                    const std::string& path, bool root) {
  if (!schema) return {};
  if (const Object* object = value.if_object()) {
    for (const auto& member : *object) {
      const std::string_view name = member.key();
      const std::string where = child(path, name);
      if (schema->embedded_resource && !root && is_meta_field(name)) {
        if (name != "metadata" && !member.value().is_string())
          return invalid_field(where, member.value(), "must be a string");
        const std::string complaint =
            name == "metadata" ? structural::undecodable_metadata(member.value()) : std::string();
        if (!complaint.empty()) return invalid_field(where, member.value(), complaint);
        continue;
      }
      const Schema* inner = member_schema(schema, name);
      const bool in_map = inner && !(schema->shape && schema->shape->find(name));
      if (auto error = malformed(member.value(), inner, in_map ? key(path, name) : where, false))
        return error;
    }
  } else if (const Array* array = value.if_array(); array && schema->type != Type::Map) {
    for (size_t i = 0; i < array->size(); ++i)
      if (auto error = malformed((*array)[i], schema->items, at(path, i), false)) return error;
  }
  return {};
}

}  // namespace

std::vector<std::string> prune(Value& object, const Schema& schema) {
  Pruner pruner;
  pruner.prune(object, &schema, "");
  drop_nulls(object, &schema);
  return pruner.take_unknown();
}

std::optional<FieldError> find_malformed_embedded(const Value& object, const Schema& schema) {
  return malformed(object, &schema, "", true);
}

}  // namespace holdfast::model
